/** Counts the starts of all CronJobs in each future minute, to show peaks. */
import { stableDelayMs } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { hasZeroDeadline, listStarts } from '../../../api/v1/start-changes.ts';
import { parseCronJobSchedule } from '../../plugin/report/cron-job-schedule.ts';
import { getInactiveUntilMs } from './timeline-marks.ts';
import type { TimeRange } from './view.ts';

const MINUTE_MS = 60_000;

/** The number of starts per minute. The first minute begins at `firstMs`. */
export interface StartCounts {
  readonly firstMs: number;
  readonly counts: Uint32Array;
}

/** The minutes in which runs of one schedule start, and the number of starts in each of these minutes. */
interface SchedulePattern {
  readonly minutes: Uint32Array;
  readonly counts: Uint8Array;
}

/**
 * Counts the starts of many CronJobs. The counter caches each evaluated schedule, so that a new filter does not
 * evaluate schedules again.
 */
export class StartCounter {
  #firstMs = 0;
  #minuteCount = 0;
  readonly #patterns = new Map<string, SchedulePattern>();

  /** The counted range, in whole minutes. A new range clears the cache. */
  set range({ fromMs, untilMs }: TimeRange) {
    const firstMs = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
    const minuteCount = Math.max(0, Math.ceil((untilMs - firstMs) / MINUTE_MS));
    if (firstMs === this.#firstMs && minuteCount === this.#minuteCount) return;
    this.#patterns.clear();
    this.#firstMs = firstMs;
    this.#minuteCount = minuteCount;
  }

  /** Returns whether the schedule of the CronJob is in the cache. */
  hasSchedule(cronJob: CronJob): boolean {
    return this.#patterns.has(getScheduleKey(cronJob));
  }

  /**
   * Evaluates the schedule and caches the result. The evaluation takes several milliseconds for a schedule that fires every minute
   * of a week.
   */
  addSchedule(cronJob: CronJob): void {
    const key = getScheduleKey(cronJob);
    if (!this.#patterns.has(key)) this.#patterns.set(key, this.#computePattern(cronJob));
  }

  /** Counts the starts of the CronJobs whose schedules are in the cache. */
  count(cronJobs: Iterable<CronJob>, now: Date): StartCounts {
    const counts = new Uint32Array(this.#minuteCount);
    for (const cronJob of cronJobs) this.#addStarts(cronJob, counts, now);
    return { firstMs: this.#firstMs, counts };
  }

  /**
   * Returns the CronJobs that start a run in the given minute. Ignores CronJobs whose schedules are not in the cache.
   */
  findStarting(cronJobs: readonly CronJob[], minuteMs: number, now: Date): readonly CronJob[] {
    const minute = (minuteMs - this.#firstMs) / MINUTE_MS;
    return cronJobs.filter((cronJob) => {
      let isStarting = false;
      this.#visitStarts(cronJob, now, (startMinute) => {
        isStarting ||= startMinute === minute;
      });
      return isStarting;
    });
  }

  #addStarts(cronJob: CronJob, counts: Uint32Array, now: Date): void {
    this.#visitStarts(cronJob, now, (minute, count) => {
      if (minute < counts.length) counts[minute] = (counts[minute] ?? 0) + count;
    });
  }

  #visitStarts(cronJob: CronJob, now: Date, visit: (minute: number, count: number) => void): void {
    const pattern = this.#patterns.get(getScheduleKey(cronJob));
    const fromMs = getInactiveUntilMs(cronJob, now) ?? now.getTime();
    if (pattern === undefined || fromMs === Number.POSITIVE_INFINITY || hasZeroDeadline(cronJob.spec)) return;
    const waitingStart = findWaitingStart(cronJob, new Date(fromMs - 1));
    if (waitingStart) visit(Math.floor((waitingStart.getTime() - this.#firstMs) / MINUTE_MS), 1);
    const firstMinute = Math.ceil((fromMs - this.#firstMs) / MINUTE_MS);
    const delayMinutes = Math.floor(getDelayMs(cronJob) / MINUTE_MS);
    const { minutes, counts } = pattern;
    for (let index = 0; index < minutes.length; index++) {
      const minute = minutes[index] ?? 0;
      // Even a delayed run starts before the next scheduled time.
      const latestMinute = delayMinutes === 0 ? minute : (minutes[index + 1] ?? Number.POSITIVE_INFINITY) - 1;
      if (minute >= firstMinute) visit(Math.min(minute + delayMinutes, latestMinute), counts[index] ?? 0);
    }
  }

  #computePattern(cronJob: CronJob): SchedulePattern {
    const after = new Date(this.#firstMs - 1);
    const until = new Date(this.#firstMs + this.#minuteCount * MINUTE_MS - 1);
    const counts = new Map<number, number>();
    for (const time of parseCronJobSchedule(cronJob)?.between(after, until) ?? []) {
      const minute = Math.floor((time.getTime() - this.#firstMs) / MINUTE_MS);
      counts.set(minute, (counts.get(minute) ?? 0) + 1);
    }
    return { minutes: Uint32Array.from(counts.keys()), counts: Uint8Array.from(counts.values()) };
  }
}

/** Returns the start of the run whose scheduled time has passed and whose delay has not ended. */
function findWaitingStart(cronJob: CronJob, now: Date): Date | undefined {
  if (getDelayMs(cronJob) === 0) return undefined;
  return listStarts(cronJob, { now, until: now, limit: 1 }).starts[0]?.time;
}

function getDelayMs({ metadata, spec: { jitterSeconds = 0 } }: CronJob): number {
  return jitterSeconds > 0 ? stableDelayMs(metadata.uid ?? '', jitterSeconds) : 0;
}

/** The key of an `@every` schedule contains the time at which the first interval begins. */
function getScheduleKey({ spec, status, metadata }: CronJob): string {
  const { schedule, timeZone = DEFAULT_TIME_ZONE, schedules = [], startTime, endTime, exclude, daylightSaving } = spec;
  const hasInterval = [schedule, ...schedules].some((each) => each.startsWith('@every'));
  const anchor = hasInterval ? (status?.effectiveSchedule?.since ?? metadata.creationTimestamp) : '';
  const key = `${timeZone}\n${schedule}\n${anchor}`;
  const hasOnlySchedule = [schedules[0], startTime, endTime, exclude, daylightSaving].every(
    (each) => each === undefined,
  );
  return hasOnlySchedule ? key : `${key}\n${JSON.stringify([schedules, startTime, endTime, exclude, daylightSaving])}`;
}

export interface HistogramColumn extends TimeRange {
  /** The number of starts in the busiest minute of the column. */
  readonly startCount: number;
  /** The time of the busiest minute. */
  readonly minuteMs: number;
}

/**
 * Combines minutes into about `columns` columns. The height of a column is the number of starts in its busiest minute. Columns
 * without starts are omitted.
 */
export function groupIntoColumns({ firstMs, counts }: StartCounts, columns: number): readonly HistogramColumn[] {
  const width = Math.max(1, Math.ceil(counts.length / columns));
  const histogram: HistogramColumn[] = [];
  for (let minute = 0; minute < counts.length; minute += width) {
    const fromMs = firstMs + minute * MINUTE_MS;
    const busiestMinute = findBusiestMinute({ firstMs: fromMs, counts: counts.subarray(minute, minute + width) });
    if (busiestMinute) histogram.push({ fromMs, untilMs: fromMs + width * MINUTE_MS, ...busiestMinute });
  }
  return histogram;
}

/** Returns the earliest minute with the most starts, or `undefined` if no run starts. */
export function findBusiestMinute({
  firstMs,
  counts,
}: StartCounts): { readonly minuteMs: number; readonly startCount: number } | undefined {
  let busiestMinute = 0;
  for (let minute = 1; minute < counts.length; minute++) {
    if ((counts[minute] ?? 0) > (counts[busiestMinute] ?? 0)) busiestMinute = minute;
  }
  const startCount = counts[busiestMinute] ?? 0;
  return startCount === 0 ? undefined : { minuteMs: firstMs + busiestMinute * MINUTE_MS, startCount };
}
