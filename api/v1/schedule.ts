/**
 * What `schedule` and `timeZone` mean: the instants at which a CronJob is due.
 *
 * The only file that knows cron-parser and date-fns-tz.
 */
import { type CronDate, CronExpressionParser } from 'cron-parser';
import { formatInTimeZone } from 'date-fns-tz';
import { DEFAULT_TIME_ZONE, MAX_SCHEDULE_LENGTH } from './cronjob-defaults.ts';

/** The instants a schedule produces. Each is a whole second. */
export interface Schedule {
  /** The first slot strictly after `after`; `undefined` when none comes within five years. */
  next(after: Date): Date | undefined;
  /** The last slot at or before `notAfter`; `undefined` when there was none within five years. */
  previous(notAfter: Date): Date | undefined;
  /** The slots in (after, until], oldest first, `limit` at the most. */
  between(after: Date, until: Date, limit: number): readonly Date[];
}

export type ParsedSchedule =
  | { readonly kind: 'ok'; readonly schedule: Schedule }
  | {
      readonly kind: 'invalid';
      readonly reason: 'UnparseableSchedule' | 'UnknownTimeZone';
      /** For people: names the field, the value and what to change. */
      readonly message: string;
    };

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const FIELD_COUNT = 5;
const HORIZON_YEARS = 5;

/**
 * Reads a schedule. Never throws.
 *
 * @param timeZone IANA name; UTC when `undefined`.
 */
export function parseSchedule(text: string, timeZone: string = DEFAULT_TIME_ZONE): ParsedSchedule {
  if (!isKnownTimeZone(timeZone)) {
    return invalid(
      'UnknownTimeZone',
      `spec.timeZone: ${JSON.stringify(timeZone)}: unknown time zone; give an IANA name such as Europe/Berlin`,
    );
  }
  const fault = faultOf(text);
  if (fault !== undefined) return invalid('UnparseableSchedule', `spec.schedule: ${quoted(text)}: ${fault}`);
  return { kind: 'ok', schedule: new CronSchedule(MACROS[text.trim()] ?? text, timeZone) };
}

/** `instant` as people in `timeZone` write it, RFC 3339 with offset, whole seconds. */
export function formatInZone(instant: Date, timeZone: string = DEFAULT_TIME_ZONE): string {
  return formatInTimeZone(instant, timeZone, "yyyy-MM-dd'T'HH:mm:ssXXX");
}

function invalid(reason: 'UnparseableSchedule' | 'UnknownTimeZone', message: string): ParsedSchedule {
  return { kind: 'invalid', reason, message };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

function faultOf(text: string): string | undefined {
  if (text.length > MAX_SCHEDULE_LENGTH) return `must be at most ${MAX_SCHEDULE_LENGTH} characters`;
  const trimmed = text.trim();
  if (trimmed.includes('TZ=')) return 'must not name a time zone; use spec.timeZone instead';
  const expression = MACROS[trimmed] ?? trimmed;
  const fields = expression.split(/\s+/).length;
  if (fields !== FIELD_COUNT) {
    return `must have ${FIELD_COUNT} fields (minute, hour, day of month, month, day of week), has ${fields}`;
  }
  try {
    CronExpressionParser.parse(expression);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone !== '';
  } catch {
    return false;
  }
}

class CronSchedule implements Schedule {
  readonly #expression: string;
  readonly #timeZone: string;

  constructor(expression: string, timeZone: string) {
    this.#expression = expression;
    this.#timeZone = timeZone;
  }

  next(after: Date): Date | undefined {
    const slot = this.#seek(after, (expression) => expression.next());
    return slot && slot <= addYears(after, HORIZON_YEARS) ? slot : undefined;
  }

  previous(notAfter: Date): Date | undefined {
    // cron-parser looks strictly before; slots are whole seconds, so one millisecond on makes it "at or before".
    const slot = this.#seek(new Date(notAfter.getTime() + 1), (expression) => expression.prev());
    return slot && slot >= addYears(notAfter, -HORIZON_YEARS) ? slot : undefined;
  }

  between(after: Date, until: Date, limit: number): readonly Date[] {
    const slots: Date[] = [];
    let slot = this.next(after);
    while (slot !== undefined && slot <= until && slots.length < limit) {
      slots.push(slot);
      slot = this.next(slot);
    }
    return slots;
  }

  #seek(from: Date, step: (expression: { next(): CronDate; prev(): CronDate }) => CronDate): Date | undefined {
    try {
      const expression = CronExpressionParser.parse(this.#expression, { currentDate: from, tz: this.#timeZone });
      return step(expression).toDate();
    } catch {
      return undefined; // cron-parser throws when its search finds nothing
    }
  }
}

function addYears(instant: Date, years: number): Date {
  const moved = new Date(instant);
  moved.setUTCFullYear(moved.getUTCFullYear() + years);
  return moved;
}
