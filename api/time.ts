/** Instants as the Kubernetes API carries them. */

/** RFC 3339. `new Date` reads a date into nearly any text with a number in it. */
const API_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** An instant from the API; `undefined` when there is none, or none that can be read and written again. */
export function parseTime(text: string | undefined): Date | undefined {
  if (typeof text !== 'string' || !API_TIME.test(text)) return undefined;
  const time = new Date(text);
  // The offset may lead to a year of five digits, or to one before 0; those that are no time at all have no year.
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time : undefined;
}

/** An instant as the API carries it: RFC 3339 in UTC, whole seconds. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** The instant without its fraction of a second. */
export function wholeSeconds(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1000) * 1000);
}

/** The latest of the instants that are there. */
export function latest(first: Date, ...others: readonly (Date | undefined)[]): Date;
export function latest(...times: readonly (Date | undefined)[]): Date | undefined;
export function latest(...times: readonly (Date | undefined)[]): Date | undefined {
  return times.reduce((newest, time) => (newest === undefined || (time && time > newest) ? time : newest), undefined);
}
