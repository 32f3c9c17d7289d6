/** Minutes in which CronJobs are due. */

const MINUTE_MS = 60_000;
/** From the last CronJob that is created until it is due, at least. */
const SETTLE_MS = 25_000;
/** To create a CronJob and to have its first status written: five times what that takes on two free processors. */
const ROOM_PER_CRON_JOB_MS = 12;

/** So long before the minute the measurement begins. */
export const BEFORE_MS = 1_500;
/** Before that nothing may have changed for this long: the controller must be idle. */
export const IDLE_MS = 5_000;

/** The first full minute that leaves room to create so many CronJobs. @param patience How much more room than usual. */
export function minuteWithRoom(count: number, patience = 1, now = new Date()): Date {
  const earliestMs = now.getTime() + SETTLE_MS + count * ROOM_PER_CRON_JOB_MS * patience;
  return new Date(Math.ceil(earliestMs / MINUTE_MS) * MINUTE_MS);
}

/** A schedule that is due then, in UTC, and not again for a year. */
export function onceAt(due: Date): string {
  return `${due.getUTCMinutes()} ${due.getUTCHours()} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`;
}

/** A schedule that is not due for months. */
export function notDue(now = new Date()): string {
  return `0 0 1 ${((now.getUTCMonth() + 6) % 12) + 1} *`;
}

export function after(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs);
}
