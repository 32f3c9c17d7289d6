/** The outcomes of the runs of one CronJob, and the records of them in its statuses. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { type Ending, getEnding, getListLimit, getSlot, isManual, latest } from './facts.ts';

/** One Job that the manager created. */
export interface RunRecord {
  readonly job: Job;
  readonly slot?: Date;
  /** The value of the run-now annotation that requested it. */
  readonly value?: string;
  isGone: boolean;
}

export class RunBook {
  /** UIDs of Jobs that the manager deleted while it knew them as active. */
  readonly replaced = new Set<string>();
  /** Names of the Jobs that a status has ever listed. */
  readonly listed = new Set<string>();
  /** Runs created up to this time may have been dropped from a full list. */
  droppedThrough = latest();
  readonly #byName = new Map<string, RunRecord[]>();
  /** The last version of each Job, by UID. */
  readonly #last = new Map<string, Job>();
  /** Runs that no status has listed, by UID of the Job. */
  readonly #unlisted = new Map<string, RunRecord>();
  /** Runs whose end is in no status, by UID of the Job. */
  readonly #unended = new Map<string, RunRecord>();
  readonly #manualSuccesses = new Set<string>();

  add(run: RunRecord): void {
    const { name, uid } = run.job.metadata;
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), run]);
    this.#unlisted.set(uid, run);
    this.#unended.set(uid, run);
    this.#last.set(uid, run.job);
  }

  recordJob(job: Job): void {
    this.#last.set(job.metadata.uid, job);
    if (isManual(job) && getEnding(job).kind === 'Succeeded') this.#manualSuccesses.add(job.metadata.name);
  }

  listByName(jobName: string): readonly RunRecord[] {
    return this.#byName.get(jobName) ?? [];
  }

  getLastVersion({ metadata }: Job): Job | undefined {
    return this.#last.get(metadata.uid);
  }

  /** The ending in the cluster, even when no process has read it. */
  getEnding(job: Job): Ending {
    return getEnding(this.getLastVersion(job) ?? job);
  }

  listUnlisted(): readonly RunRecord[] {
    return [...this.#unlisted.values()].filter(({ job }) => getCreationTime(job) > this.droppedThrough);
  }

  /** Whether a stored status has reported the end of the run, or had no room for it any more. */
  hasStoredEnd({ metadata }: Job): boolean {
    return !this.#unended.has(metadata.uid) || new Date(metadata.creationTimestamp) <= this.droppedThrough;
  }

  /** Whether a manual run that is not in `listedNames` has succeeded. */
  hasManualSuccess(listedNames: ReadonlySet<string>): boolean {
    return [...this.#manualSuccesses].some((jobName) => !listedNames.has(jobName));
  }

  /** Whether a run may have replaced this one. */
  hasNewerRun({ metadata }: Job): boolean {
    const slot = getSlot({ metadata });
    return [...this.#byName.values()].flat().some((run) => {
      const isLaterSlot = run.slot !== undefined && slot !== undefined && run.slot > slot;
      return isLaterSlot || getCreationTime(run.job) > new Date(metadata.creationTimestamp);
    });
  }

  /** Whether the list had enough room for all results. */
  hasRoomForResults({ recentRuns = [] }: CronJobStatus, { spec }: Pick<CronJob, 'spec'>): boolean {
    if (recentRuns.length < getListLimit({ spec })) return true;
    const oldest = parseOldest(recentRuns);
    return oldest !== undefined && [...this.#unended.values()].every(({ job }) => getCreationTime(job) > oldest);
  }

  /** The status is stored. */
  noteStored({ recentRuns = [] }: CronJobStatus, { spec }: CronJob, now: Date): void {
    const oldest = recentRuns.length < getListLimit({ spec }) ? undefined : (parseOldest(recentRuns) ?? now);
    this.droppedThrough = latest(this.droppedThrough, oldest);
    for (const line of recentRuns) this.#noteLine(line);
    for (const [uid, { job, isGone }] of this.#unended) {
      if (isGone && oldest !== undefined && getCreationTime(job) <= oldest) this.#unended.delete(uid);
    }
  }

  #noteLine(line: string): void {
    const { jobName = '', result } = parseRecentRun(line) ?? {};
    this.listed.add(jobName);
    for (const { job, isGone } of this.listByName(jobName)) {
      this.#unlisted.delete(job.metadata.uid);
      if (result !== 'Running' && (result !== 'Unknown' || isGone)) this.#unended.delete(job.metadata.uid);
    }
  }
}

function parseOldest(lines: readonly string[]): Date | undefined {
  return parseRecentRun(lines.at(-1) ?? '')?.createdTime;
}

function getCreationTime({ metadata }: Job): Date {
  return new Date(metadata.creationTimestamp);
}
