import { CronSchedule, type DaylightSaving } from './cron-schedule.ts';
import { describeValue } from './describe-value.ts';
import { EverySchedule } from './every-schedule.ts';
import { parseExpression } from './expression.ts';
import { quote } from './quote.ts';
import type { Schedule } from './schedule.ts';
import { loadTimeZone, suggestTimeZoneName, type TimeZone } from './time-zone.ts';

/** The result of {@link parseSchedule}. */
export type ParsedSchedule = { readonly kind: 'ok'; readonly schedule: Schedule } | InvalidSchedule;

/** The reason that an expression is not a valid schedule. */
export interface InvalidSchedule {
  readonly kind: 'invalid';
  /** Whether the expression or the time zone is invalid. */
  readonly reason: 'InvalidExpression' | 'UnknownTimeZone';
  /**
   * A message for users, which quotes at most 100 characters of the invalid value. Example: `"61 * * * *": minute must
   * be 0-59, not "61"`.
   */
  readonly message: string;
}

/** Options of {@link parseSchedule}. */
export interface ScheduleOptions {
  /**
   * A case-sensitive IANA name, or an object with your own time zone data. Default: `UTC`. The time zone of the process
   * has no effect.
   */
  readonly timeZone?: string | TimeZone | undefined;
  /**
   * The time from which `@every` counts its periods, rounded down to a whole second. The first run is one period after
   * the anchor. Cron schedules ignore the anchor. Default: 1970-01-01T00:00:00Z.
   */
  readonly anchor?: Date;
  /** How the schedule treats clock changes. `@every` and schedules for every hour ignore this option. */
  readonly daylightSaving?: DaylightSaving | undefined;
}

/** The maximum number of characters of an expression, to limit the time to parse untrusted text. */
export const MAX_EXPRESSION_LENGTH = 1024;

/**
 * Parses an expression in the same way as Kubernetes. An expression has five fields, is a macro such as `@daily`, or is
 * `@every <duration>`.
 *
 * If the expression or the time zone is invalid or has a wrong type, the kind of the result is `invalid`. The time to
 * parse is proportional to the length of the expression. Store the returned schedule, because `parseSchedule` does not
 * cache schedules. Throws a RangeError if `anchor` is an invalid Date, and a TypeError if `anchor` is not a Date.
 */
export function parseSchedule(expression: string, options: ScheduleOptions = {}): ParsedSchedule {
  if (typeof expression !== 'string')
    return { ...INVALID_EXPRESSION, message: `the expression must be a string, not ${describeValue(expression)}` };
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    const fault = `must be at most ${MAX_EXPRESSION_LENGTH} characters long, not ${expression.length}`;
    return { ...INVALID_EXPRESSION, message: `${quote(expression)}: ${fault}` };
  }
  const parsed = parseExpression(expression);
  if (parsed.kind === 'invalid') return { ...INVALID_EXPRESSION, message: `${quote(expression)}: ${parsed.message}` };
  const zone = findTimeZone(options);
  if (typeof zone === 'string') return { kind: 'invalid', reason: 'UnknownTimeZone', message: zone };
  const { anchor = new Date(0), daylightSaving } = options ?? {};
  const schedule =
    parsed.kind === 'cron'
      ? new CronSchedule(parsed.fields, zone, daylightSaving ?? {})
      : new EverySchedule(anchor, parsed.periodMs);
  return { kind: 'ok', schedule };
}

/**
 * Like {@link parseSchedule}, but returns the schedule itself. Throws an {@link InvalidScheduleError} for an invalid
 * expression or time zone.
 */
export function parseScheduleOrThrow(expression: string, options?: ScheduleOptions): Schedule {
  const parsed = parseSchedule(expression, options);
  if (parsed.kind === 'invalid') throw new InvalidScheduleError(parsed);
  return parsed.schedule;
}

/**
 * The error of {@link parseScheduleOrThrow}. The message of the error is the message of the {@link InvalidSchedule}.
 */
export class InvalidScheduleError extends Error {
  override readonly name = 'InvalidScheduleError';
  /** Whether the expression or the time zone is invalid. */
  readonly reason: InvalidSchedule['reason'];

  constructor({ reason, message }: Pick<InvalidSchedule, 'reason' | 'message'>) {
    super(message);
    this.reason = reason;
  }
}

const INVALID_EXPRESSION = { kind: 'invalid', reason: 'InvalidExpression' } as const;

/** Returns the time zone, or an error message if the time zone is invalid. */
function findTimeZone(options: ScheduleOptions | string): TimeZone | string {
  if (typeof options === 'string')
    return `${quote(options)}: options must be an object such as { timeZone: ${quote(options)} }`;
  const { timeZone = 'UTC' } = options ?? {};
  if (typeof timeZone === 'string') return loadTimeZone(timeZone) ?? explainUnknownName(timeZone);
  if (typeof timeZone?.offsetAt === 'function') return timeZone;
  return `the time zone must be an IANA name such as Europe/Berlin, not ${describeValue(timeZone)}`;
}

function explainUnknownName(name: string): string {
  return `${quote(name)}: unknown time zone; use ${suggestTimeZoneName(name) ?? 'an IANA name such as Europe/Berlin'}`;
}
