/** Counts how many runs of many CronJobs start in each minute ahead, to show where they pile up. */

import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJobSchedule } from '../../plugin/report/cron-job-schedule.ts';
import { getInactiveUntilMs } from './marks.ts';
import type { TimeRange } from './view.ts';

const MINUTE_MS = 60_000;

/** Starts by minute. The first minute begins at `firstMs`. */
export interface StartCounts {
  readonly firstMs: number;
  readonly counts: Uint32Array;
}

/** The minutes of the range in which one schedule has starts, and how many. */
interface SchedulePattern {
  readonly minutes: Uint32Array;
  readonly counts: Uint8Array;
}

/**
 * Adds up the starts of many CronJobs, and caches the result for each schedule, so that another choice of CronJobs needs one
 * addition for each of their starts.
 */
export class StartCounter {
  #firstMs = 0;
  #minutes = 0;
  readonly #patterns = new Map<string, SchedulePattern>();

  /** Whole minutes; the cached results for another range are dropped. */
  set range({ fromMs, untilMs }: TimeRange) {
    const firstMs = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
    const minutes = Math.max(0, Math.ceil((untilMs - firstMs) / MINUTE_MS));
    if (firstMs === this.#firstMs && minutes === this.#minutes) return;
    this.#patterns.clear();
    this.#firstMs = firstMs;
    this.#minutes = minutes;
  }

  /** Whether the schedule is cached, so that {@link count} need not evaluate it. */
  hasSchedule(cronJob: CronJob): boolean {
    return this.#patterns.has(getScheduleKey(cronJob));
  }

  /** Evaluates its schedule, which takes milliseconds for every minute of a week. */
  addSchedule(cronJob: CronJob): void {
    const key = getScheduleKey(cronJob);
    if (!this.#patterns.has(key)) this.#patterns.set(key, this.#computePattern(cronJob));
  }

  /** Starts of the CronJobs with a cached schedule. */
  count(cronJobs: Iterable<CronJob>, now: Date): StartCounts {
    const counts = new Uint32Array(this.#minutes);
    for (const cronJob of cronJobs) this.#add(cronJob, counts, now);
    return { firstMs: this.#firstMs, counts };
  }

  #add(cronJob: CronJob, counts: Uint32Array, now: Date): void {
    const pattern = this.#patterns.get(getScheduleKey(cronJob));
    const fromMs = getInactiveUntilMs(cronJob, now) ?? now.getTime();
    if (pattern === undefined || fromMs === Number.POSITIVE_INFINITY) return;
    const first = Math.ceil((fromMs - this.#firstMs) / MINUTE_MS);
    const { minutes } = pattern;
    for (let index = 0; index < minutes.length; index++) {
      const minute = minutes[index] ?? 0;
      if (minute >= first) counts[minute] = (counts[minute] ?? 0) + (pattern.counts[index] ?? 0);
    }
  }

  #computePattern(cronJob: CronJob): SchedulePattern {
    const after = new Date(this.#firstMs - 1);
    const until = new Date(this.#firstMs + this.#minutes * MINUTE_MS - 1);
    const counts = new Map<number, number>();
    for (const time of parseCronJobSchedule(cronJob)?.between(after, until) ?? []) {
      const minute = Math.floor((time.getTime() - this.#firstMs) / MINUTE_MS);
      counts.set(minute, (counts.get(minute) ?? 0) + 1);
    }
    return { minutes: Uint32Array.from(counts.keys()), counts: Uint8Array.from(counts.values()) };
  }
}

/** Intervals count from when each CronJob's schedule took effect. */
function getScheduleKey({ spec, status, metadata }: CronJob): string {
  const { schedule, timeZone = DEFAULT_TIME_ZONE } = spec;
  const anchor = schedule.startsWith('@every') ? (status?.effectiveSchedule?.since ?? metadata.creationTimestamp) : '';
  return `${timeZone}\n${schedule}\n${anchor}`;
}

export interface HistogramColumn extends TimeRange {
  /** The most starts within one minute of the column. */
  readonly starts: number;
  /** The earliest minute with that many starts. */
  readonly atMs: number;
}

/**
 * Combines minutes into about `columns` columns, each as high as its busiest minute, because that is where runs pile up. Leaves out
 * columns without starts.
 */
export function groupIntoColumns({ firstMs, counts }: StartCounts, columns: number): readonly HistogramColumn[] {
  const width = Math.max(1, Math.ceil(counts.length / columns));
  const histogram: HistogramColumn[] = [];
  for (let minute = 0; minute < counts.length; minute += width) {
    const fromMs = firstMs + minute * MINUTE_MS;
    const busiest = findBusiestMinute({ firstMs: fromMs, counts: counts.subarray(minute, minute + width) });
    if (busiest) histogram.push({ fromMs, untilMs: fromMs + width * MINUTE_MS, ...busiest });
  }
  return histogram;
}

/** The earliest minute with the most starts; `undefined` without starts. */
export function findBusiestMinute({
  firstMs,
  counts,
}: StartCounts): { readonly atMs: number; readonly starts: number } | undefined {
  let best = 0;
  for (let minute = 1; minute < counts.length; minute++) {
    if ((counts[minute] ?? 0) > (counts[best] ?? 0)) best = minute;
  }
  const starts = counts[best] ?? 0;
  return starts === 0 ? undefined : { atMs: firstMs + best * MINUTE_MS, starts };
}
