/**
 * Parses a text to a schedule. The dialect is that of Kubernetes: github.com/robfig/cron/v3 plus the API server's own
 * checks. README.md lists the few faults that it does not copy.
 */
import { CronSchedule, type DaylightSaving } from './cron-schedule.ts';
import { EverySchedule } from './every-schedule.ts';
import { parseExpression } from './expression.ts';
import { quote } from './quote.ts';
import type { Schedule } from './schedule.ts';
import { loadTimeZone, type TimeZone } from './time-zone.ts';

/** The result of {@link parseSchedule}. */
export type ParsedSchedule = { readonly kind: 'ok'; readonly schedule: Schedule } | InvalidSchedule;

/** Why an expression is not a valid schedule. */
export interface InvalidSchedule {
  readonly kind: 'invalid';
  /** For programs: which of the two is invalid. */
  readonly reason: 'InvalidExpression' | 'UnknownTimeZone';
  /** For users: the value, up to 100 characters, and what to change. `"61 * * * *": minute must be 0-59, not "61"`. */
  readonly message: string;
}

/** Options that an expression does not contain. */
export interface ScheduleOptions {
  /**
   * An IANA name in its exact spelling, or a zone from {@link loadTimeZone}, which is cheaper for many schedules in one
   * zone. Default: `UTC`; never the zone of the process.
   */
  readonly timeZone?: string | TimeZone | undefined;
  /**
   * Start of the count of `@every`; its first instant is one period later. A fraction of a second is dropped. No effect
   * on other schedules. Default: 1970-01-01T00:00:00Z.
   */
  readonly anchor?: Date;
  /** What a change of the clock does. No effect on `@every`, and on a schedule for every hour. */
  readonly daylightSaving?: DaylightSaving | undefined;
}

/** Maximum length of an expression, in characters: it limits the work for untrusted text. */
export const MAX_EXPRESSION_LENGTH = 1024;

/**
 * Reads an expression as Kubernetes does: five fields, a macro such as `@daily`, or `@every <duration>`.
 *
 * For any text, it does not throw, and its work is proportional to the text's length. It caches nothing: keep the
 * schedule. Throws RangeError when `anchor` is an invalid Date.
 */
export function parseSchedule(expression: string, options: ScheduleOptions = {}): ParsedSchedule {
  const { timeZone = 'UTC', anchor = new Date(0), daylightSaving } = options;
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    const fault = `must be at most ${MAX_EXPRESSION_LENGTH} characters long, not ${expression.length}`;
    return invalid('InvalidExpression', expression, fault);
  }
  const parsed = parseExpression(expression);
  if (parsed.kind === 'invalid') return invalid('InvalidExpression', expression, parsed.message);
  const zone = typeof timeZone === 'string' ? loadTimeZone(timeZone) : timeZone;
  if (zone === undefined) {
    return invalid('UnknownTimeZone', String(timeZone), 'unknown time zone; use an IANA name such as Europe/Berlin');
  }
  const schedule =
    parsed.kind === 'cron'
      ? new CronSchedule(parsed.fields, zone, daylightSaving)
      : new EverySchedule(anchor, parsed.periodMs);
  return { kind: 'ok', schedule };
}

function invalid(reason: InvalidSchedule['reason'], value: string, fault: string): InvalidSchedule {
  return { kind: 'invalid', reason, message: `${quote(value)}: ${fault}` };
}
