/** What of a year is lived through: a part of it shows a broken rule better than the whole. */

/** Kinds of trouble that a year can do without. */
export const MISHAPS = [
  'storms',
  'cuts',
  'outages',
  'crashes',
  'crowds',
  'hangs',
  'faults',
  'definitions',
  'clocks',
  'hand-overs',
  'long-stops',
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** CronJobs of a whole year. */
export const CRON_JOBS = 6;

export interface Limits {
  /** Numbers of the CronJobs that there are, from 1 on. */
  readonly cronJobs: readonly number[];
  /** The trouble that there is. */
  readonly mishaps: readonly Mishap[];
  /** When it ends; after a year by default. */
  readonly until?: Date;
}

export const WHOLE_YEAR: Limits = {
  cronJobs: Array.from({ length: CRON_JOBS }, (_, index) => index + 1),
  mishaps: MISHAPS,
};
