/** Builds the CronJobRun that starts the past runs of a time range. */
import { formatTime } from '../../../api/time.ts';
import { type Backfill, findBackfillSlots } from '../../../api/v1/backfill-slots.ts';
import { DEFAULT_BACKFILL_LIMIT } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { getScheduleStart, parseTimetable } from '../../../api/v1/timetable.ts';
import type { NewRunSpec } from './retry.ts';
import { formatLocalTime } from './sentences.ts';

/** The time range and the settings of a backfill. */
export interface BackfillOptions extends Pick<Backfill, 'order' | 'maxConcurrentRuns' | 'limit'> {
  readonly start: Date;
  readonly end: Date;
  /** The advice for the user if the range has more runs than the limit. */
  readonly excessAdvice: string;
}

/** The settings of a backfill that a user starts on the web page. */
export const PAGE_BACKFILL_SETTINGS = {
  maxConcurrentRuns: 1,
  limit: DEFAULT_BACKFILL_LIMIT,
  excessAdvice: 'use a shorter time',
} as const;

/** A backfill, or the reason that the backfill starts nothing. */
export type BackfillRequest =
  | {
      readonly kind: 'ok';
      readonly spec: NewRunSpec;
      /** The predicate of a sentence about the CronJob. */
      readonly predicate: string;
    }
  | { readonly kind: 'invalid'; readonly message: string };

/** @param now The creation time of the CronJobRun. The backfill includes no slots after this time. */
export function createBackfillRequest(cronJob: CronJob, options: BackfillOptions, now: Date): BackfillRequest {
  const { start, end, excessAdvice, ...settings } = options;
  const span = `between ${formatLocalTime(cronJob, start)} and ${formatLocalTime(cronJob, end)}`;
  if (end <= start) return { kind: 'invalid', message: 'the end must be after the start' };
  const parsed = parseTimetable(cronJob.spec, getScheduleStart(cronJob) ?? new Date(0));
  if (parsed.kind === 'invalid') return { kind: 'invalid', message: parsed.message };
  const backfill = { startTime: formatTime(start), endTime: formatTime(end), ...settings };
  const slots = findBackfillSlots(parsed, backfill, { createdAt: now });
  if (slots === undefined) {
    const excess = `more than ${settings.limit} ${settings.limit === 1 ? 'run was' : 'runs were'} scheduled ${span}`;
    return { kind: 'invalid', message: `${excess}; ${excessAdvice}` };
  }
  const [first, last] = [slots[0], slots.at(-1)];
  if (first === undefined || last === undefined) return { kind: 'invalid', message: `no run was scheduled ${span}` };
  const spec = { cronJobName: cronJob.metadata.name, backfill, ttlSecondsAfterFinished: TTL_SECONDS };
  return { kind: 'ok', spec, predicate: describeBackfill(cronJob, { count: slots.length, first, last }, settings) };
}

/** The manager deletes the CronJobRun a week after the end of the backfill. */
const TTL_SECONDS = 7 * 86_400;

function describeBackfill(
  cronJob: CronJob,
  { count, first, last }: { readonly count: number; readonly first: Date; readonly last: Date },
  { maxConcurrentRuns }: Pick<Backfill, 'maxConcurrentRuns'>,
): string {
  if (count === 1) return `starts the run of ${formatLocalTime(cronJob, first)}`;
  const concurrency = maxConcurrentRuns === 1 ? 'one at a time' : `up to ${maxConcurrentRuns} at a time`;
  return `starts ${count} runs, ${concurrency}: first the run of ${formatLocalTime(cronJob, first)}, last the run of ${formatLocalTime(cronJob, last)}`;
}
