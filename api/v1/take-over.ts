/** Computes from when a CronJob that replaces a batch/v1 CronJob runs its scheduled times. */
import { formatTime, isAfter, parseTime, wholeSeconds } from '../time.ts';
import { TAKES_OVER_FROM_ANNOTATION } from './groupversion.ts';
import { valueAt } from './raw-object.ts';

/** A CronJob is created soon after the CronJob that it replaces was suspended. An older time comes from a restored manifest. */
const MAX_TAKE_OVER_MINUTES = 10;

/** The meaning of the annotation. */
export type TakeOver =
  | { readonly kind: 'none' }
  /**
   * @property from Slots after this time run in the new CronJob. Whole seconds; at most ten minutes before the creation, never
   * after it.
   */
  | { readonly kind: 'takenOver'; readonly from: Date }
  /** @property fault Why the annotation has no effect, and the fix. */
  | { readonly kind: 'ignored'; readonly fault: string };

/** Reads the annotation of a CronJob that was created at `created`. Never throws. */
export function parseTakeOver(metadata: unknown, created: Date): TakeOver {
  const value = valueAt(metadata, 'annotations', TAKES_OVER_FROM_ANNOTATION);
  if (value === undefined) return { kind: 'none' };
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  if (time === undefined) return { kind: 'ignored', fault: UNREADABLE };
  const from = wholeSeconds(time);
  const earliest = new Date(wholeSeconds(created).getTime() - MAX_TAKE_OVER_MINUTES * 60_000);
  if (isAfter(from, created)) return { kind: 'ignored', fault: `${formatTime(from)} is ${AFTER_CREATION}` };
  if (isAfter(earliest, from)) return { kind: 'ignored', fault: `${formatTime(from)} is ${TOO_OLD}` };
  return { kind: 'takenOver', from };
}

const UNREADABLE =
  'is not a time and is ignored; give the time at which the other CronJob was suspended, such as 2026-01-02T15:04:05Z';
const AFTER_CREATION = 'after the creation of this CronJob and is ignored; remove it, and check the clocks';
const TOO_OLD =
  `more than ${MAX_TAKE_OVER_MINUTES} minutes before the creation of this CronJob and is ignored: earlier runs are not ` +
  'caught up; remove it';
