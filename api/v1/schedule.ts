/** Parses `spec.schedule` and `spec.timeZone`, caches schedules, and adds the field name to errors. */
import { formatInTimeZone } from 'date-fns-tz';
import {
  type DaylightSaving,
  type InvalidSchedule as InvalidExpression,
  loadTimeZone,
  parseSchedule as parse,
  type Schedule,
} from 'kubernetes-cron-schedule';
import QuickLRU from 'quick-lru';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';

export type ParsedSchedule = { readonly kind: 'ok'; readonly schedule: Schedule } | InvalidSchedule;

export interface InvalidSchedule {
  readonly kind: 'invalid';
  readonly reason: 'UnparseableSchedule' | 'UnknownTimeZone';
  /** The message contains the name of the field, the invalid value and the fix. */
  readonly message: string;
}

export interface ScheduleOptions {
  /** A case-sensitive IANA name. Default: UTC. */
  readonly timeZone?: string | undefined;
  /**
   * The time from which `@every` counts its periods. The first slot is one period after the anchor. Default:
   * 1970-01-01T00:00:00Z.
   */
  readonly anchor?: Date;
  /**
   * The value of `spec.daylightSaving`. By default, no run starts at a skipped time, and two runs start at a repeated
   * time.
   */
  readonly daylightSaving?: DaylightSaving | undefined;
}

/** Parses a schedule. Never throws. */
export function parseSchedule(text: string, options: ScheduleOptions = {}): ParsedSchedule {
  const { timeZone = DEFAULT_TIME_ZONE, daylightSaving: { skippedTimes, repeatedTimes } = {} } = options;
  const hasDefaults = skippedTimes === undefined && repeatedTimes === undefined;
  const key = hasDefaults ? `${timeZone}\n${text}` : `${timeZone}\n${text}\n${skippedTimes}\n${repeatedTimes}`;
  const cachedSchedule = scheduleCache.get(key);
  if (cachedSchedule !== undefined) return cachedSchedule;
  const parsed = parse(text, { ...options, timeZone });
  if (parsed.kind === 'invalid') return withFieldName(parsed);
  // An @every schedule also depends on the anchor, which the key does not contain.
  if (parsed.schedule.kind === 'cron') scheduleCache.set(key, parsed);
  return parsed;
}

/** Formats an instant in a time zone, in RFC 3339 with whole seconds. The time zone of the process must be UTC. */
export function formatInZone(instant: Date, timeZone: string = DEFAULT_TIME_ZONE): string {
  const instantMs = instant.getTime();
  const lastFormat = lastFormattedTimes.get(timeZone);
  if (lastFormat?.instantMs === instantMs) return lastFormat.text;
  const text = formatInTimeZone(instant, timeZone, "yyyy-MM-dd'T'HH:mm:ssXXX");
  lastFormattedTimes.set(timeZone, { instantMs, text });
  return text;
}

/** Formats an instant as local time without an offset, such as `2026-11-23T02:00:00`. Returns `undefined` for an unknown time zone. */
export function toLocalTime(instant: Date, timeZone: string): string | undefined {
  const zone = loadTimeZone(timeZone);
  if (zone === undefined) return undefined;
  const ms = instant.getTime();
  return new Date(ms + zone.offsetAt(ms).offsetMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

/** Returns the clock changes after `after` up to and including `until`, in ascending order. An unknown time zone has no changes. */
export function findClockChanges(timeZone: string, after: Date, until: Date): readonly Date[] {
  const zone = loadTimeZone(timeZone);
  if (zone === undefined) return [];
  const clockChanges: Date[] = [];
  let span = zone.offsetAt(after.getTime());
  while (span.endMs <= until.getTime()) {
    const nextSpan = zone.offsetAt(span.endMs);
    if (nextSpan.offsetMs !== span.offsetMs) clockChanges.push(new Date(span.endMs));
    span = nextSpan;
  }
  return clockChanges;
}

/** The last formatted instant of each time zone. CronJobs that are due at the same time format the same instant. */
const lastFormattedTimes = new Map<string, { readonly instantMs: number; readonly text: string }>();

/** QuickLRU stores up to twice its `maxSize`, here 10,000 schedules. If each schedule takes 4 KiB, the cache takes 40 MB. */
const MAX_CACHED_SCHEDULES = 5000;

/**
 * A cache of valid schedules, because every reconcile parses a schedule and many CronJobs have the same schedule. Invalid schedules
 * are not cached, so a user cannot evict valid schedules with invalid ones.
 */
const scheduleCache = new QuickLRU<string, ParsedSchedule>({ maxSize: MAX_CACHED_SCHEDULES });

function withFieldName({ reason, message }: InvalidExpression): InvalidSchedule {
  switch (reason) {
    case 'UnknownTimeZone':
      return { kind: 'invalid', reason, message: `spec.timeZone: ${message}` };
    case 'InvalidExpression':
      return { kind: 'invalid', reason: 'UnparseableSchedule', message: `spec.schedule: ${message}` };
  }
}
