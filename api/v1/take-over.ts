import { formatTime, isAfter, parseTime, toWholeSeconds } from '../time.ts';
import { TAKES_OVER_FROM_ANNOTATION } from './groupversion.ts';
import { valueAt } from './raw-object.ts';

/**
 * The maximum age of the time in the annotation. An import creates the new CronJob within this time after it has
 * suspended the batch/v1 CronJob.
 */
const MAX_TAKE_OVER_MINUTES = 10;

/** The result of {@link parseTakeOverAnnotation}. */
export type TakeOver =
  | { readonly kind: 'none' }
  /**
   * The new CronJob starts the runs of slots after `from`. `from` has whole seconds, and is at most ten minutes before
   * the creation.
   */
  | { readonly kind: 'takenOver'; readonly from: Date }
  /** `fault` is the reason that the annotation has no effect, with the fix. */
  | { readonly kind: 'ignored'; readonly fault: string };

/** Parses the takes-over-from annotation. Never throws. */
export function parseTakeOverAnnotation(metadata: unknown, creationTime: Date): TakeOver {
  const value = valueAt(metadata, 'annotations', TAKES_OVER_FROM_ANNOTATION);
  if (value === undefined) return { kind: 'none' };
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  if (time === undefined) return { kind: 'ignored', fault: INVALID_TIME_FAULT };
  const from = toWholeSeconds(time);
  const earliest = new Date(toWholeSeconds(creationTime).getTime() - MAX_TAKE_OVER_MINUTES * 60_000);
  if (isAfter(from, creationTime)) return { kind: 'ignored', fault: `${formatTime(from)} is ${AFTER_CREATION_FAULT}` };
  if (isAfter(earliest, from)) return { kind: 'ignored', fault: `${formatTime(from)} is ${TOO_OLD_FAULT}` };
  return { kind: 'takenOver', from };
}

const INVALID_TIME_FAULT =
  'is not a time and is ignored; give the time at which the other CronJob was suspended, such as 2026-01-02T15:04:05Z';
const AFTER_CREATION_FAULT = 'after the creation of this CronJob and is ignored; remove it, and check the clocks';
const TOO_OLD_FAULT =
  `more than ${MAX_TAKE_OVER_MINUTES} minutes before the creation of this CronJob and is ignored, so no earlier ` +
  'run starts; remove it';
