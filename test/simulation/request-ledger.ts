/** What has really happened to one CronJobRun. */
import { createHash } from 'node:crypto';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobRun, CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { getRequestedSlot, parseInstant } from './facts.ts';

/** One Job of a CronJobRun. */
export interface RequestedStart {
  readonly job: Job;
  readonly slot: Date | undefined;
  /** A process that had died or no longer led sent the request. */
  readonly isOrphaned: boolean;
  isGone: boolean;
}

export class RequestLedger {
  readonly uid: string;
  readonly starts: RequestedStart[] = [];
  /** The last version, also after the deletion. */
  last: CronJobRun;
  isDeleted = false;
  /** Number of slots to start when it was accepted; `undefined` for another request, and after an edit of the schedule. */
  slotsAtAcceptance: { readonly count: number } | undefined;
  readonly #listedNames = new Set<string>();

  constructor(request: CronJobRun) {
    this.uid = request.metadata.uid;
    this.last = request;
  }

  record(request: CronJobRun): void {
    this.last = request;
    for (const { name } of request.status?.jobs ?? []) this.#listedNames.add(name);
  }

  /** Whether a stored status has shown that the run need not start any more. */
  hasStored({ job, slot }: RequestedStart): boolean {
    return this.#listedNames.has(job.metadata.name) || isPast(this.last, slot);
  }

  listByName(jobName: string): readonly RequestedStart[] {
    return this.starts.filter(({ job }) => job.metadata.name === jobName);
  }

  /** Number of runs that have started, each counted once. */
  get startCount(): number {
    return new Set(this.starts.map(({ job }) => job.metadata.name)).size;
  }
}

/** Whether the backfill has passed the slot. */
export function isPast({ spec, status }: CronJobRun, slot: Date | undefined): boolean {
  const last = parseInstant(status?.lastScheduledTime);
  if (slot === undefined || last === undefined) return false;
  return spec.backfill?.order === 'NewestFirst' ? slot >= last : slot <= last;
}

export function isFinishedStatus(status: CronJobRunStatus | undefined): boolean {
  return (
    status?.conditions?.some(({ type, status: truth }) => /^(Complete|Failed)$/.test(type) && truth === 'True') === true
  );
}

export function findRequestCondition({ status }: Pick<CronJobRun, 'status'>, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Name of the Job of a run that a CronJobRun asks for. The names of the simulation are short. */
export function requestedJobName({ metadata, spec }: CronJobRun, slot: Date | undefined): string {
  const digest = createHash('sha256').update(metadata.uid).digest('hex');
  const ending = slot === undefined ? `r${digest.slice(0, 9)}` : `b${slot.getTime() / 1000}-${digest.slice(0, 5)}`;
  return `${spec.cronJobName}-${ending}`;
}

export function isJobOfRequest(request: CronJobRun, job: Job): boolean {
  return job.metadata.name === requestedJobName(request, getRequestedSlot(job));
}
