/** The times of Jobs and statuses: the source of all figures about runs. */
import { SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';

/** The fields of a Job that the ledger reads. Both controllers annotate it with the scheduled time. */
export interface JobMetadata {
  readonly uid?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly { readonly uid: string }[] | undefined;
}

/** The outcome of one scheduled time. Times are in seconds after it, sorted. */
export interface TickTimes {
  /** First observation of the Job of each CronJob that has one. */
  readonly jobSeconds: readonly number[];
  /** First observation of the status with this `lastScheduleTime`, for each CronJob that got one. */
  readonly statusSeconds: readonly number[];
  /** CronJobs without a Job. */
  readonly missed: number;
  /** Jobs beyond the first of a CronJob. */
  readonly doubled: number;
}

export class RunTimes {
  /** Number of Jobs seen so far. */
  readonly #jobs = new Set<string>();
  /**
   * Time of the first observation of the Jobs of each run, in milliseconds since the epoch. A run is the UID of a CronJob and its scheduled
   * time.
   */
  readonly #created = new Map<string, number[]>();
  readonly #stored = new Map<string, number>();

  /** @returns Whether this was the first observation. */
  recordJob({ uid = '', annotations, ownerReferences }: JobMetadata, nowMs: number): boolean {
    if (this.#jobs.has(uid)) return false;
    this.#jobs.add(uid);
    const run = formatRunKey(ownerReferences?.[0]?.uid, annotations?.[SCHEDULED_TIMESTAMP_ANNOTATION]);
    const created = this.#created.get(run);
    if (created === undefined) this.#created.set(run, [nowMs]);
    else created.push(nowMs);
    return true;
  }

  /** @param lastScheduleTime RFC 3339. */
  recordStatus(cronJobUid: string | undefined, lastScheduleTime: string | undefined, nowMs: number): void {
    if (lastScheduleTime === undefined) return;
    const run = formatRunKey(cronJobUid, lastScheduleTime);
    if (!this.#stored.has(run)) this.#stored.set(run, nowMs);
  }

  get jobCount(): number {
    return this.#jobs.size;
  }

  /** Number of scheduled times that the statuses of all CronJobs reported. */
  get statusCount(): number {
    return this.#stored.size;
  }

  computeTick(due: Date, cronJobUids: readonly string[]): TickTimes {
    const runs = cronJobUids.map((uid) => formatRunKey(uid, due.toISOString()));
    const created = runs.map((run) => this.#created.get(run) ?? []);
    const firsts = created.flatMap((times) => times.slice(0, 1));
    const stored = runs.flatMap((run) => this.#stored.get(run) ?? []);
    return {
      jobSeconds: computeSecondsAfter(due, firsts),
      statusSeconds: computeSecondsAfter(due, stored),
      missed: cronJobUids.length - firsts.length,
      doubled: created.reduce((sum, times) => sum + Math.max(0, times.length - 1), 0),
    };
  }
}

function formatRunKey(cronJobUid = '', scheduledTime = ''): string {
  return `${cronJobUid} ${Date.parse(scheduledTime)}`;
}

function computeSecondsAfter(due: Date, timesMs: readonly number[]): readonly number[] {
  return timesMs.map((timeMs) => (timeMs - due.getTime()) / 1000).toSorted((left, right) => left - right);
}
