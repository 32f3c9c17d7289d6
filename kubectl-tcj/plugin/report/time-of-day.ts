/**
 * Parses a time on the clock of a zone, `02:00`, `02:00:30` or `2026-11-23 02:00`, into an instant. Uses UTC for an unknown zone.
 */
import type { Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { parseSchedule, toLocalTime } from '../../../api/v1/schedule.ts';

/** For a time of day, the most recent one; `undefined` for a text in any other form. */
export function parseLatestTime(text: string, timeZone: string, now: Date): Date | undefined {
  const day = parseTimeOfDay(text, timeZone);
  return day === undefined ? parseDateTime(text, timeZone) : addMs(day.schedule.previous(addMs(now, -day.ms)), day.ms);
}

/** For a time of day, the next one; `undefined` for a text in any other form. */
export function parseNextTime(text: string, timeZone: string, now: Date): Date | undefined {
  const day = parseTimeOfDay(text, timeZone);
  return day === undefined ? parseDateTime(text, timeZone) : addMs(day.schedule.next(addMs(now, -day.ms)), day.ms);
}

/** For the message about an invalid time. */
export const TIME_FORMS = '02:00, 2026-11-23 02:00 or 2026-11-23T02:00:00Z';

function parseDateTime(text: string, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text)) return undefined;
  const local = text.replace(' ', 'T');
  // The 30th of February does not exist.
  const isDay = new Date(`${local}Z`).getUTCDate() === Number(local.slice('2026-11-'.length, '2026-11-23'.length));
  return isDay ? (parseLocalTime(local, timeZone) ?? parseLocalTime(local, DEFAULT_TIME_ZONE)) : undefined;
}

function addMs(time: Date, ms: number): Date;
function addMs(time: Date | undefined, ms: number): Date | undefined;
function addMs(time: Date | undefined, ms: number): Date | undefined {
  return time && new Date(time.getTime() + ms);
}

interface DailyTime {
  readonly schedule: Schedule;
  /** Time after the time in the text. */
  readonly ms: number;
}

function parseTimeOfDay(text: string, timeZone: string): DailyTime | undefined {
  const [, hour, minute, second = '0'] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const ms = Number(second) * 1000;
  const zones = [timeZone, DEFAULT_TIME_ZONE];
  for (const zone of zones) {
    const parsed = parseSchedule(`${Number(minute)} ${Number(hour)} * * *`, { timeZone: zone });
    if (parsed.kind === 'ok') return { schedule: parsed.schedule, ms };
  }
  return undefined;
}

/**
 * The instant at which the clock of the zone shows `2026-11-23T02:00`, with or without seconds. If the clock shows it twice, the
 * first instant; if it skips the time, the instant at which the time would have come.
 */
export function parseLocalTime(text: string, zone: string): Date | undefined {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return undefined;
  const shownAt = (ms: number) => Date.parse(`${toLocalTime(new Date(ms), zone)}Z`);
  // The offset is the one before or after a clock change, which is at most a day away.
  const candidates = [wanted - DAY_MS, wanted + DAY_MS].map((ms) => wanted - (shownAt(ms) - ms));
  const fitting = candidates.filter((ms) => shownAt(ms) === wanted);
  const ms = fitting.length > 0 ? Math.min(...fitting) : Math.max(...candidates);
  return Number.isNaN(ms) ? undefined : new Date(ms);
}

const DAY_MS = 86_400_000;
