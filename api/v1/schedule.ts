/**
 * What `schedule` and `timeZone` mean: text in, instants out.
 *
 * The dialect is that of Kubernetes (github.com/robfig/cron/v3 plus the API server's own checks); docs/schedules.md lists the
 * few places where its faults are not copied.
 */
import { formatInTimeZone } from 'date-fns-tz';
import QuickLRU from 'quick-lru';
import { DEFAULT_TIME_ZONE, MAX_SCHEDULE_LENGTH, MAX_TIME_ZONE_LENGTH } from './cronjob-defaults.ts';
import { CronSchedule } from './schedule/cron-schedule.ts';
import { EverySchedule } from './schedule/every-schedule.ts';
import { parseExpression } from './schedule/expression.ts';
import type { Schedule } from './schedule/schedule-type.ts';
import { TIME_ZONE_NAMES } from './schedule/time-zone-names.ts';
import { type ZoneOffsets, zoneOffsets } from './schedule/zone-offsets.ts';

export type { Schedule } from './schedule/schedule-type.ts';

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
  const { timeZone = DEFAULT_TIME_ZONE, anchor = EPOCH } = options;
  const compiled = compile(text, timeZone);
  switch (compiled.kind) {
    case 'invalid':
      return compiled;
    case 'cron':
      return { kind: 'ok', schedule: compiled.schedule };
    case 'every':
      return { kind: 'ok', schedule: new EverySchedule(anchor, compiled.periodMs) };
  }
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

const EPOCH = new Date(0);

/** What a valid text means in a zone, but for the anchor. */
type Compiled =
  | { readonly kind: 'cron'; readonly schedule: Schedule }
  | { readonly kind: 'every'; readonly periodMs: number };

/** Up to twice as many are kept: at 3 KiB for the longest, 30 MB at the most. */
const MAX_COMPILED = 5000;

/**
 * The texts and zones last used: most CronJobs of a cluster share a few, and every pass parses. Only valid ones: of the others
 * there is no end, and whoever writes them would push the valid ones out.
 */
const compiledByKey = new QuickLRU<string, Compiled>({ maxSize: MAX_COMPILED });

function compile(text: string, timeZone: string): Compiled | InvalidSchedule {
  if (text.length > MAX_SCHEDULE_LENGTH) {
    return unparseable(text, `must be at most ${MAX_SCHEDULE_LENGTH} characters long, not ${text.length}`);
  }
  if (timeZone.length > MAX_TIME_ZONE_LENGTH) return unknownTimeZone(timeZone);
  const key = `${timeZone}\n${text}`;
  const known = compiledByKey.get(key);
  if (known !== undefined) return known;
  const compiled = compileAnew(text, timeZone);
  if (compiled.kind === 'invalid') return compiled;
  compiledByKey.set(key, compiled);
  return compiled;
}

function compileAnew(text: string, timeZone: string): Compiled | InvalidSchedule {
  const expression = parseExpression(text);
  if (expression.kind === 'invalid') return unparseable(text, expression.message);
  const zone = findZone(timeZone);
  if (zone === undefined) return unknownTimeZone(timeZone);
  return expression.kind === 'every'
    ? expression
    : { kind: 'cron', schedule: new CronSchedule(expression.fields, zone) };
}

const knownTimeZones: ReadonlySet<string> = new Set(TIME_ZONE_NAMES);

/** A zone must have the exact spelling of the list; one that Node's own zone data lacks is as unknown as a wrong one. */
function findZone(timeZone: string): ZoneOffsets | undefined {
  if (!knownTimeZones.has(timeZone)) return undefined;
  try {
    return zoneOffsets(timeZone);
  } catch {
    return undefined;
  }
}

const MAX_QUOTED = 100;

function unparseable(text: string, fault: string): InvalidSchedule {
  return { kind: 'invalid', reason: 'UnparseableSchedule', message: `spec.schedule: ${quote(text)}: ${fault}` };
}

function unknownTimeZone(timeZone: string): InvalidSchedule {
  const message = `spec.timeZone: ${quote(timeZone)}: unknown time zone; give an IANA name such as Europe/Berlin`;
  return { kind: 'invalid', reason: 'UnknownTimeZone', message };
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
