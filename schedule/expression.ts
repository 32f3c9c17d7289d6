import { type CronFields, parseCronFields } from './cron-fields.ts';
import { parseGoDuration } from './go-duration.ts';

export type Expression =
  | { readonly kind: 'cron'; readonly fields: CronFields }
  /** `periodMs` is a positive multiple of 1000. */
  | { readonly kind: 'every'; readonly periodMs: number };

export type ParsedExpression = Expression | { readonly kind: 'invalid'; readonly message: string };

/** Parses `text` in time proportional to its length. Never throws. */
export function parseExpression(text: string): ParsedExpression {
  if (/^(?:CRON_)?TZ=/.test(text)) return toInvalidResult('must not name a time zone; use timeZone instead of TZ=');
  if (text.startsWith(EVERY_PREFIX)) return parseEvery(text.slice(EVERY_PREFIX.length));
  const fieldsText = text.startsWith('@') ? MACROS.get(text) : text;
  if (fieldsText === undefined)
    return toInvalidResult(`must be one of ${[...MACROS.keys()].join(', ')} or "@every <duration>"`);
  const parsed = parseCronFields(fieldsText);
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

const EVERY_PREFIX = '@every ';
const NANOSECONDS_PER_SECOND = 1_000_000_000n;

function parseEvery(text: string): ParsedExpression {
  const duration = parseGoDuration(text);
  if (duration.kind === 'invalid') return duration;
  const seconds = duration.nanoseconds / NANOSECONDS_PER_SECOND;
  if (seconds < 1n) return toInvalidResult('must be at least 1s after @every');
  return { kind: 'every', periodMs: Number(seconds) * 1000 };
}

function toInvalidResult(message: string): ParsedExpression {
  return { kind: 'invalid', message };
}
