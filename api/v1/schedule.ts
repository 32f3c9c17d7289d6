/** What `spec.schedule` and `spec.timeZone` mean. The engine is the package kubernetes-cron-schedule; this adds caches and field names. */
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
  /** For people: names the field, the value and what to change. */
  readonly message: string;
}

export interface ScheduleOptions {
  /** IANA name, in its exact spelling. Default UTC; never the zone of the process. */
  readonly timeZone?: string | undefined;
  /** Where the grid of `@every` begins; its first slot is one period later. Default 1970-01-01T00:00:00Z. */
  readonly anchor?: Date;
}

/** Reads a schedule. Never throws, whatever the text. */
export function parseSchedule(text: string, options: ScheduleOptions = {}): ParsedSchedule {
  const { timeZone = DEFAULT_TIME_ZONE } = options;
  const key = `${timeZone}\n${text}`;
  const known = parsedByKey.get(key);
  if (known !== undefined) return known;
  const parsed = parse(text, { ...options, timeZone: timeZoneOf(timeZone) });
  if (parsed.kind === 'invalid') return withFieldName(parsed);
  // An @every counts from an anchor of its own.
  if (parsed.schedule.kind === 'cron') parsedByKey.set(key, parsed);
  return parsed;
}

/** `instant` as people in `timeZone` write it: RFC 3339 with offset, whole seconds. Needs a process whose own zone is UTC. */
export function formatInZone(instant: Date, timeZone: string = DEFAULT_TIME_ZONE): string {
  const instantMs = instant.getTime();
  const last = lastFormatted.get(timeZone);
  if (last?.instantMs === instantMs) return last.text;
  const text = formatInTimeZone(instant, timeZone, "yyyy-MM-dd'T'HH:mm:ssXXX");
  lastFormatted.set(timeZone, { instantMs, text });
  return text;
}

/** The last text of each zone, of which there are some 600: all that is due at once names the same instant, and writing it takes longer than a plan. */
const lastFormatted = new Map<string, { readonly instantMs: number; readonly text: string }>();

/** Up to twice as many are kept: at 4 KiB for the longest, 40 MB at the most. */
const MAX_PARSED = 5000;

/**
 * The texts and zones last used: most CronJobs of a cluster share a few, and every pass parses. Only valid ones: of the others
 * there is no end, and whoever writes them would push the valid ones out.
 */
const parsedByKey = new QuickLRU<string, ParsedSchedule>({ maxSize: MAX_PARSED });

/** The zones in use: each reads its offsets once for all schedules in it. There are some 600. */
const timeZones = new Map<string, TimeZone>();

/** A name that is unknown stays a name: the parser says so. */
function timeZoneOf(name: string): TimeZone | string {
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
