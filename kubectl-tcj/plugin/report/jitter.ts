/** Suggests a jitter for CronJobs that start in the same minute, and predicts its effect. */
import { stableDelayMs, type Timetable } from 'kubernetes-cron-schedule';
import type { CronJob, CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { findShortestGapSeconds } from '../../../api/v1/shortest-gap.ts';
import { parseTimetable } from '../../../api/v1/timetable.ts';

/** The maximum suggested jitter. */
const MAX_JITTER_SECONDS = 1800;
const MINUTE_SECONDS = 60;

/**
 * Returns a jitter below the shortest time between two runs, at most 30 minutes. Returns `undefined` if the CronJob has a jitter, if
 * its schedule is invalid, or if the jitter would be shorter than a minute and could not spread the runs.
 */
export function suggestJitterSeconds(spec: CronJobSpec, now: Date): number | undefined {
  return new JitterSuggestions(now).suggestSeconds(spec);
}

/** Caches the shortest gap of each schedule, because thousands of CronJobs may have the same schedule. */
class JitterSuggestions {
  readonly #now: Date;
  readonly #gaps = new Map<Timetable, number>();

  constructor(now: Date) {
    this.#now = now;
  }

  suggestSeconds(spec: CronJobSpec): number | undefined {
    const timetable = parseTimetable(spec, this.#now);
    if (timetable.kind === 'invalid' || (spec.jitterSeconds ?? 0) > 0) return undefined;
    const seconds = Math.min(MAX_JITTER_SECONDS, this.#findShortestGapSeconds(timetable.schedule) - 1);
    return seconds < MINUTE_SECONDS ? undefined : seconds;
  }

  #findShortestGapSeconds(schedule: Timetable): number {
    const gap = this.#gaps.get(schedule) ?? findShortestGapSeconds(schedule, this.#now);
    this.#gaps.set(schedule, gap);
    return gap;
  }
}

/** The effect of the suggested jitters on the runs that start in one minute. */
export interface JitterEffect {
  /** The longest suggested jitter. */
  readonly jitterSeconds: number;
  /** Whether a schedule with short gaps needs a shorter jitter. */
  readonly hasShorter: boolean;
  /** The maximum number of runs that would start in one minute. */
  readonly maxPerMinute: number;
}

/**
 * Predicts the effect exactly, because the UID of a CronJob determines its delay.
 * @param cronJobs The CronJobs of the runs that start in the minute.
 * @returns `undefined` if no jitter would reduce the number of runs.
 */
export function predictJitterEffect(cronJobs: readonly CronJob[], now: Date): JitterEffect | undefined {
  const suggestions = new JitterSuggestions(now);
  const jitters: number[] = [];
  const counts = new Map<number, number>();
  for (const { metadata, spec } of cronJobs) {
    const jitter = suggestions.suggestSeconds(spec);
    if (jitter !== undefined) jitters.push(jitter);
    const delaySeconds = stableDelayMs(metadata.uid ?? '', jitter ?? 0) / 1000;
    const minute = Math.floor(delaySeconds / MINUTE_SECONDS);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  const maxPerMinute = Math.max(...counts.values());
  if (jitters.length === 0 || maxPerMinute >= cronJobs.length) return undefined;
  const jitterSeconds = Math.max(...jitters);
  return { jitterSeconds, hasShorter: Math.min(...jitters) < jitterSeconds, maxPerMinute };
}

/** @param runsPhrase The runs of the minute, such as `these 12 runs`. */
export function describeJitterEffect(
  { jitterSeconds, hasShorter, maxPerMinute }: JitterEffect,
  runsPhrase: string,
): string {
  const value = `${jitterSeconds}${hasShorter ? ' or less' : ''}`;
  return `With jitterSeconds: ${value}, at most ${maxPerMinute} of ${runsPhrase} would start in one minute.`;
}
