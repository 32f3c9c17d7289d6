/** The outcomes of the runs of one CronJob, and the records of them in its statuses. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { type Ending, endingOf, isManual, listLimitOf, newest, slotOf } from './facts.ts';

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
  cutBefore = newest();
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

  follow(job: Job): void {
    this.#last.set(job.metadata.uid, job);
    if (isManual(job) && endingOf(job).kind === 'Succeeded') this.#manualSuccesses.add(job.metadata.name);
  }

  ofName(jobName: string): readonly RunRecord[] {
    return this.#byName.get(jobName) ?? [];
  }

  lastOf({ metadata }: Job): Job | undefined {
    return this.#last.get(metadata.uid);
  }

  /** The ending in the world, even when no process knows of it. */
  endingOf(job: Job): Ending {
    return endingOf(this.lastOf(job) ?? job);
  }

  unlisted(): readonly RunRecord[] {
    return [...this.#unlisted.values()].filter(({ job }) => createdAt(job) > this.cutBefore);
  }

  /** Whether a stored status has reported the end of the run, or had no room for it any more. */
  hasStoredEnd({ metadata }: Job): boolean {
    return !this.#unended.has(metadata.uid) || new Date(metadata.creationTimestamp) <= this.cutBefore;
  }

  /** Whether a manual run that is not in `known` has succeeded. */
  hasManualSuccess(known: ReadonlySet<string>): boolean {
    return [...this.#manualSuccesses].some((jobName) => !known.has(jobName));
  }

  /** Whether a run may have replaced this one. */
  hasNewer({ metadata }: Job): boolean {
    const slot = slotOf({ metadata });
    return [...this.#byName.values()].flat().some((run) => {
      const isLaterSlot = run.slot !== undefined && slot !== undefined && run.slot > slot;
      return isLaterSlot || createdAt(run.job) > new Date(metadata.creationTimestamp);
    });
  }

  /** Whether the list had enough room for all results. */
  isWhole({ recentRuns = [] }: CronJobStatus, { spec }: Pick<CronJob, 'spec'>): boolean {
    if (recentRuns.length < listLimitOf({ spec })) return true;
    const oldest = oldestIn(recentRuns);
    return oldest !== undefined && [...this.#unended.values()].every(({ job }) => createdAt(job) > oldest);
  }

  /** The status is stored. */
  noteStored({ recentRuns = [] }: CronJobStatus, { spec }: CronJob, now: Date): void {
    const oldest = recentRuns.length < listLimitOf({ spec }) ? undefined : (oldestIn(recentRuns) ?? now);
    this.cutBefore = newest(this.cutBefore, oldest);
    for (const line of recentRuns) this.#noteLine(line);
    for (const [uid, { job, isGone }] of this.#unended) {
      if (isGone && oldest !== undefined && createdAt(job) <= oldest) this.#unended.delete(uid);
    }
  }

  #noteLine(line: string): void {
    const { jobName = '', result } = parseRecentRun(line) ?? {};
    this.listed.add(jobName);
    for (const { job, isGone } of this.ofName(jobName)) {
      this.#unlisted.delete(job.metadata.uid);
      if (result !== 'Running' && (result !== 'Unknown' || isGone)) this.#unended.delete(job.metadata.uid);
    }
  }
}

function oldestIn(lines: readonly string[]): Date | undefined {
  return parseRecentRun(lines.at(-1) ?? '')?.createdTime;
}

function createdAt({ metadata }: Job): Date {
  return new Date(metadata.creationTimestamp);
}
