/** Parses `spec.schedule` and `spec.timeZone` with the package kubernetes-cron-schedule, and adds caches and field names. */
import { formatInTimeZone } from 'date-fns-tz';
import {
  type InvalidSchedule as InvalidExpression,
  loadTimeZone,
  parseSchedule as parse,
  type Schedule,
  type TimeZone,
} from 'kubernetes-cron-schedule';
import QuickLRU from 'quick-lru';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';

export type ParsedSchedule = { readonly kind: 'ok'; readonly schedule: Schedule } | InvalidSchedule;

export interface InvalidSchedule {
  readonly kind: 'invalid';
  readonly reason: 'UnparseableSchedule' | 'UnknownTimeZone';
  /** Names the field, the value and what to change. */
  readonly message: string;
}

export interface ScheduleOptions {
  /** IANA name, in its exact spelling. Default UTC; never the zone of the process. */
  readonly timeZone?: string | undefined;
  /** The time from which `@every` counts; its first slot is one period later. Default 1970-01-01T00:00:00Z. */
  readonly anchor?: Date;
}

/** Parses a schedule. Never throws. */
export function parseSchedule(text: string, options: ScheduleOptions = {}): ParsedSchedule {
  const { timeZone = DEFAULT_TIME_ZONE } = options;
  const key = `${timeZone}\n${text}`;
  const known = parsedByKey.get(key);
  if (known !== undefined) return known;
  const parsed = parse(text, { ...options, timeZone: getTimeZone(timeZone) });
  if (parsed.kind === 'invalid') return withFieldName(parsed);
  // Not an @every: each has its own anchor.
  if (parsed.schedule.kind === 'cron') parsedByKey.set(key, parsed);
  return parsed;
}

/** `instant` in local time of `timeZone`: RFC 3339 with offset, whole seconds. The zone of the process must be UTC. */
export function formatInZone(instant: Date, timeZone: string = DEFAULT_TIME_ZONE): string {
  const instantMs = instant.getTime();
  const last = lastFormatted.get(timeZone);
  if (last?.instantMs === instantMs) return last.text;
  const text = formatInTimeZone(instant, timeZone, "yyyy-MM-dd'T'HH:mm:ssXXX");
  lastFormatted.set(timeZone, { instantMs, text });
  return text;
}

/**
 * The time on the clock of `timeZone` at `instant`, in any zone of the process: `2026-11-23T02:00:00`. `undefined` for an
 * unknown zone.
 */
export function clockTime(instant: Date, timeZone: string): string | undefined {
  const zone = getTimeZone(timeZone);
  if (typeof zone === 'string') return undefined;
  const ms = instant.getTime();
  return new Date(ms + zone.offsetAt(ms).offsetMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

/** When the clock of `timeZone` changes in (after, until], earliest first; empty for a zone that does not exist. */
export function clockChanges(timeZone: string, after: Date, until: Date): readonly Date[] {
  const zone = getTimeZone(timeZone);
  if (typeof zone === 'string') return [];
  const changes: Date[] = [];
  let span = zone.offsetAt(after.getTime());
  while (span.endMs <= until.getTime()) {
    const following = zone.offsetAt(span.endMs);
    if (following.offsetMs !== span.offsetMs) changes.push(new Date(span.endMs));
    span = following;
  }
  return changes;
}

/**
 * The last result for each zone, about 600 at most: all CronJobs that are due at the same time format the same instant, and
 * formatting is slow.
 */
const lastFormatted = new Map<string, { readonly instantMs: number; readonly text: string }>();

/** QuickLRU keeps up to twice as many: with 4 KiB for the longest schedule, at most 40 MB. */
const MAX_PARSED = 5000;

/**
 * The most recently used schedules: every pass parses, and most CronJobs of a cluster share a few schedules. Only valid schedules,
 * so that a user who writes many invalid ones cannot displace them.
 */
const parsedByKey = new QuickLRU<string, ParsedSchedule>({ maxSize: MAX_PARSED });

/** The zones in use, about 600 at most. Each reads its offsets once, for all schedules in it. */
const timeZones = new Map<string, TimeZone>();

/** The zone, or its name if it is unknown: the parser then reports it. */
function getTimeZone(name: string): TimeZone | string {
  const zone = timeZones.get(name) ?? loadTimeZone(name);
  if (zone !== undefined) timeZones.set(name, zone);
  return zone ?? name;
}

function withFieldName({ reason, message }: InvalidExpression): InvalidSchedule {
  switch (reason) {
    case 'UnknownTimeZone':
      return { kind: 'invalid', reason, message: `spec.timeZone: ${message}` };
    case 'InvalidExpression':
      return { kind: 'invalid', reason: 'UnparseableSchedule', message: `spec.schedule: ${message}` };
  }
}
