/** Instants as the Kubernetes API carries them. */

/** RFC 3339. `new Date` reads a date into nearly any text with a number in it, and the hour 24 as the next day. */
const API_TIME = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** An instant from the API; `undefined` when there is none, or none that can be read and written again. */
export function parseTime(text: string | undefined): Date | undefined {
  const known = text === undefined ? undefined : PARSED.get(text);
  if (known !== undefined) return new Date(known);
  if (typeof text !== 'string' || !API_TIME.test(text) || !isDay(text.slice(0, DATE_LENGTH))) return undefined;
  const time = new Date(text);
  // The offset may lead to a year of five digits, or to one before 0; those that are no time at all have no year.
  const year = time.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return undefined;
  if (text.length <= MAX_KEPT_LENGTH) keep(PARSED, text, time.getTime());
  return time;
}

const DATE_LENGTH = '2026-01-01'.length;

/** `new Date` reads 30 February as 2 March. The API server refuses it. */
function isDay(date: string): boolean {
  const day = Number(date.slice(-2));
  return day <= 28 || new Date(date).getUTCDate() === day;
}

/** The newest times that were parsed: every pass reads the same few again, in a tenth of the time that parsing takes. */
const PARSED = new Map<string, number>();
/** The newest times that were formatted, by their seconds since the epoch: nearly always they are among those that were parsed. */
const FORMATTED = new Map<number, string>();
const MAX_KEPT = 2000;
/** With nanoseconds and an offset. A longer one may be an annotation of 256 KiB, of an object that is long gone. */
const MAX_KEPT_LENGTH = 35;

function keep<K, V>(kept: Map<K, V>, key: K, value: V): void {
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, value);
}

/** An instant as the API carries it: RFC 3339 in UTC, whole seconds. */
export function formatTime(time: Date): string {
  const seconds = Math.floor(time.getTime() / 1000);
  const known = FORMATTED.get(seconds);
  if (known !== undefined) return known;
  const text = written(time);
  keep(FORMATTED, seconds, text);
  return text;
}

/** By hand, as `toISOString` takes three times as long. */
function written(time: Date): string {
  const date = `${padded(time.getUTCFullYear(), 4)}-${padded(time.getUTCMonth() + 1)}-${padded(time.getUTCDate())}`;
  return `${date}T${padded(time.getUTCHours())}:${padded(time.getUTCMinutes())}:${padded(time.getUTCSeconds())}Z`;
}

function padded(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

/** The instant without its fraction of a second. */
export function wholeSeconds(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1000) * 1000);
}

/** The latest of the instants that are there. */
export function latest(first: Date, ...others: readonly (Date | undefined)[]): Date;
export function latest(...times: readonly (Date | undefined)[]): Date | undefined;
export function latest(...times: readonly (Date | undefined)[]): Date | undefined {
  let newest: Date | undefined;
  for (const time of times) {
    if (time !== undefined && (newest === undefined || isAfter(time, newest))) newest = time;
  }
  return newest;
}

/** As `left > right`, in a twentieth of the time. */
export function isAfter(left: Date, right: Date): boolean {
  return left.getTime() > right.getTime();
}
