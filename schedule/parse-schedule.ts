/**
 * Text in, schedule out. The dialect is that of Kubernetes: github.com/robfig/cron/v3 plus the API server's own checks. README.md
 * lists the few places where its faults are not copied.
 */
import { CronSchedule } from './cron-schedule.ts';
import { EverySchedule } from './every-schedule.ts';
import { parseExpression } from './expression.ts';
import { quoted } from './quoted.ts';
import type { Schedule } from './schedule.ts';
import { loadTimeZone, type TimeZone } from './time-zone.ts';

/** What {@link parseSchedule} makes of an expression. */
export type ParsedSchedule = { readonly kind: 'ok'; readonly schedule: Schedule } | InvalidSchedule;

/** Why an expression is no schedule. */
export interface InvalidSchedule {
  readonly kind: 'invalid';
  /** For programs: which of the two is at fault. */
  readonly reason: 'InvalidExpression' | 'UnknownTimeZone';
  /**
   * For people: the value, of which at most 100 characters are repeated, and what to change. `"61 * * * *": minute must be
   * 0-59, not "61"`.
   */
  readonly message: string;
}

/** What an expression leaves open. */
export interface ScheduleOptions {
  /**
   * An IANA name in its exact spelling, or a zone of {@link loadTimeZone}, which is cheaper with many schedules in one zone.
   * Default: `UTC`; never the zone of the process.
   */
  readonly timeZone?: string | TimeZone | undefined;
  /**
   * Where the grid of `@every` begins; its first instant is one period later. A fraction of a second is dropped. Without effect
   * on other schedules. Default: 1970-01-01T00:00:00Z.
   */
  readonly anchor?: Date;
}

/** Longest expression that is read, in characters: it bounds the work that a stranger's text can cause. */
export const MAX_EXPRESSION_LENGTH = 1024;

/**
 * Reads an expression as Kubernetes does: five fields, a macro such as `@daily`, or `@every <duration>`.
 *
 * Whatever the text, it does not throw, and does work in proportion to its length. Nothing is cached: keep the schedule. Throws
 * RangeError when `anchor` is an invalid Date.
 */
export function parseSchedule(expression: string, options: ScheduleOptions = {}): ParsedSchedule {
  const { timeZone = 'UTC', anchor = new Date(0) } = options;
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    const fault = `must be at most ${MAX_EXPRESSION_LENGTH} characters long, not ${expression.length}`;
    return invalid('InvalidExpression', expression, fault);
  }
  const parsed = parseExpression(expression);
  if (parsed.kind === 'invalid') return invalid('InvalidExpression', expression, parsed.message);
  const zone = typeof timeZone === 'string' ? loadTimeZone(timeZone) : timeZone;
  if (zone === undefined) {
    return invalid('UnknownTimeZone', String(timeZone), 'unknown time zone; give an IANA name such as Europe/Berlin');
  }
  const schedule =
    parsed.kind === 'cron' ? new CronSchedule(parsed.fields, zone) : new EverySchedule(anchor, parsed.periodMs);
  return { kind: 'ok', schedule };
}

function invalid(reason: InvalidSchedule['reason'], value: string, fault: string): InvalidSchedule {
  return { kind: 'invalid', reason, message: `${quoted(value)}: ${fault}` };
}
