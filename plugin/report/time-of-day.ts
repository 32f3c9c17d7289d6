/** A time of day, `hh:mm`, as an instant. In UTC where the zone does not exist. */
import type { Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../api/v1/cronjob-defaults.ts';
import { parseSchedule } from '../../api/v1/schedule.ts';

/** The last one that was; `undefined` for a text that is no time of day. */
export function latestTime(text: string, timeZone: string, now: Date): Date | undefined {
  return dailyAt(text, timeZone)?.previous(now);
}

/** The first one that comes; `undefined` for a text that is no time of day. */
export function nextTime(text: string, timeZone: string, now: Date): Date | undefined {
  return dailyAt(text, timeZone)?.next(now);
}

function dailyAt(text: string, timeZone: string): Schedule | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const zones = [timeZone, DEFAULT_TIME_ZONE];
  for (const zone of zones) {
    const parsed = parseSchedule(`${Number(minute)} ${Number(hour)} * * *`, { timeZone: zone });
    if (parsed.kind === 'ok') return parsed.schedule;
  }
  return undefined;
}
