/** Minutes in which CronJobs are due. */

const MINUTE_MS = 60_000;
/** Minimum time between the creation of the last CronJob and its due time. */
const SETTLE_MS = 25_000;
/** Time to create a CronJob and to write its first status: five times the usual time on two free processors. */
const ROOM_PER_CRON_JOB_MS = 12;

/** The measurement begins this long before the minute. */
export const BEFORE_MS = 1_500;
/** Before that, nothing may change for this long: the controller must be idle. */
export const IDLE_MS = 5_000;

/** The first full minute that leaves time to create this number of CronJobs. @param patience Factor for the usual time. */
export function findFreeMinute(count: number, patience = 1, now = new Date()): Date {
  const earliestMs = now.getTime() + SETTLE_MS + count * ROOM_PER_CRON_JOB_MS * patience;
  return new Date(Math.ceil(earliestMs / MINUTE_MS) * MINUTE_MS);
}

/** A schedule that is due at this time, in UTC, and not again for a year. */
export function formatOnce(due: Date): string {
  return `${due.getUTCMinutes()} ${due.getUTCHours()} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`;
}

/** A schedule that is not due for months. */
export function formatNotDue(now = new Date()): string {
  return `0 0 1 ${((now.getUTCMonth() + 6) % 12) + 1} *`;
}

export function addMs(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs);
}
