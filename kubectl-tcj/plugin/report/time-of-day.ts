/** Parses a local time such as `02:00`, `02:00:30` or `2026-11-23 02:00`. If the time zone is unknown, the time is in UTC. */
import { describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { parseSchedule, toLocalTime } from '../../../api/v1/schedule.ts';

/**
 * Parses a date with a time. For a time of day, returns its most recent occurrence. Returns `undefined` for an invalid
 * text.
 */
export function parseLatestTime(text: string, timeZone: string, now: Date): Date | undefined {
  const dailyTime = parseTimeOfDay(text, timeZone);
  return dailyTime === undefined
    ? parseDateTime(text, timeZone)
    : addMs(dailyTime.schedule.previous(addMs(now, -dailyTime.offsetMs)), dailyTime.offsetMs);
}

/**
 * Parses a date with a time. For a time of day, returns its next occurrence. Returns `undefined` for an invalid text.
 */
export function parseNextTime(text: string, timeZone: string, now: Date): Date | undefined {
  const dailyTime = parseTimeOfDay(text, timeZone);
  return dailyTime === undefined
    ? parseDateTime(text, timeZone)
    : addMs(dailyTime.schedule.next(addMs(now, -dailyTime.offsetMs)), dailyTime.offsetMs);
}

/** Examples for error messages about invalid times. */
export const TIME_EXAMPLES = '02:00, 2026-11-23 02:00 or 2026-11-23T02:00:00Z';

/** Explains that a clock change skips the local time in `text`. Returns `undefined` if no clock change skips it. */
export function describeSkippedTime(text: string, timeZone: string): string | undefined {
  const time = parseDateTime(text, timeZone);
  const [, localTime, month, day, hour, minute] = /^(\d+-(\d\d)-(\d\d).(\d\d):(\d\d))/.exec(text) ?? [];
  if (time === undefined || localTime === undefined) return undefined;
  const parsed = parseSchedule([minute, hour, day, month].map(Number).join(' ').concat(' *'), { timeZone });
  const notes = parsed.kind === 'ok' ? parsed.schedule.dstNotes(addMs(time, -DAY_MS), { months: 1 }) : [];
  const note = notes.find(({ kind, runs }) => kind === 'skipped' && runs.includes(localTime.replace(' ', 'T')));
  return note && `In ${timeZone}, ${describeDstNote(note)}.`;
}

function parseDateTime(text: string, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text)) return undefined;
  const dateTime = text.replace(' ', 'T');
  // Rejects dates such as the 30th of February.
  const isValidDate =
    new Date(`${dateTime}Z`).getUTCDate() === Number(dateTime.slice('2026-11-'.length, '2026-11-23'.length));
  return isValidDate ? (parseLocalTime(dateTime, timeZone) ?? parseLocalTime(dateTime, DEFAULT_TIME_ZONE)) : undefined;
}

function addMs(time: Date, ms: number): Date;
function addMs(time: Date | undefined, ms: number): Date | undefined;
function addMs(time: Date | undefined, ms: number): Date | undefined {
  return time && new Date(time.getTime() + ms);
}

interface DailyTime {
  readonly schedule: Schedule;
  /** The seconds of the time. A cron schedule cannot contain seconds. */
  readonly offsetMs: number;
}

function parseTimeOfDay(text: string, timeZone: string): DailyTime | undefined {
  const [, hour, minute, second = '0'] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const offsetMs = Number(second) * 1000;
  const zones = [timeZone, DEFAULT_TIME_ZONE];
  for (const zone of zones) {
    const parsed = parseSchedule(`${Number(minute)} ${Number(hour)} * * *`, { timeZone: zone });
    if (parsed.kind === 'ok') return { schedule: parsed.schedule, offsetMs };
  }
  return undefined;
}

/**
 * Returns the instant at which clocks in the zone show a time such as `2026-11-23T02:00`. If a clock change repeats the time,
 * returns the first instant. If a clock change skips the time, returns the instant at which the time would have occurred without
 * the change.
 */
export function parseLocalTime(text: string, zone: string): Date | undefined {
  const localMs = Date.parse(`${text}Z`);
  if (Number.isNaN(localMs)) return undefined;
  const toLocalMs = (ms: number) => Date.parse(`${toLocalTime(new Date(ms), zone)}Z`);
  // At most one clock change happens in these two days, so the UTC offset before or after it applies.
  const candidates = [localMs - DAY_MS, localMs + DAY_MS].map((ms) => localMs - (toLocalMs(ms) - ms));
  const matches = candidates.filter((ms) => toLocalMs(ms) === localMs);
  const ms = matches.length > 0 ? Math.min(...matches) : Math.max(...candidates);
  return Number.isNaN(ms) ? undefined : new Date(ms);
}

const DAY_MS = 86_400_000;
