/** The simulated part of a year: a small part shows a broken rule better than the whole. */

/** Kinds of faults that a year can omit. */
export const FAULT_KINDS = [
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
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Number of CronJobs in a whole year. */
export const CRON_JOBS = 6;

export interface Limits {
  /** Numbers of the simulated CronJobs, from 1 on. */
  readonly cronJobs: readonly number[];
  /** The simulated kinds of faults. */
  readonly faultKinds: readonly FaultKind[];
  /** Time of the end. Default: after a year. */
  readonly until?: Date;
}

export const WHOLE_YEAR: Limits = {
  cronJobs: Array.from({ length: CRON_JOBS }, (_, index) => index + 1),
  faultKinds: FAULT_KINDS,
};
