/** The text of a schedule, without a zone: five fields, a macro such as `@daily`, or `@every`. */
import { type CronFields, parseCronFields } from './cron-fields.ts';
import { parseGoDuration } from './go-duration.ts';

/** A parsed text. */
export type Expression =
  | { readonly kind: 'cron'; readonly fields: CronFields }
  /** @every. Whole seconds, at least one. */
  | { readonly kind: 'every'; readonly periodMs: number };

export type ParsedExpression = Expression | { readonly kind: 'invalid'; readonly message: string };

/** Never throws; its work is proportional to the length of `text`. */
export function parseExpression(text: string): ParsedExpression {
  if (/^(?:CRON_)?TZ=/.test(text)) return invalid('must not name a time zone; use timeZone instead of TZ=');
  if (text.startsWith(EVERY)) return parseEvery(text.slice(EVERY.length));
  const fields = text.startsWith('@') ? MACROS.get(text) : text;
  if (fields === undefined) return invalid(`must be one of ${[...MACROS.keys()].join(', ')} or "@every <duration>"`);
  const parsed = parseCronFields(fields);
  return parsed.kind === 'ok' ? { kind: 'cron', fields: parsed.fields } : parsed;
}

const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const EVERY = '@every ';
const NANOSECONDS_PER_SECOND = 1_000_000_000n;

function parseEvery(text: string): ParsedExpression {
  const duration = parseGoDuration(text);
  if (duration.kind === 'invalid') return duration;
  const seconds = duration.nanoseconds / NANOSECONDS_PER_SECOND;
  if (seconds < 1n) return invalid('must be at least 1s after @every');
  return { kind: 'every', periodMs: Number(seconds) * 1000 };
}

function invalid(message: string): ParsedExpression {
  return { kind: 'invalid', message };
}
