import { LabelSelectorError, ParsedLabelSelector } from '../client/label-selector.ts';
import { type BindAddress, parseBindAddress } from '../http/bind-address.ts';
import { parseDurationMs } from '../kubernetes/duration.ts';

/** The parsed value, or an error message that describes the valid values: `use a whole number from 1 to 9`. */
export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'invalid'; readonly message: string };

function createParsedValue<T>(value: T): Parsed<T> {
  return { kind: 'ok', value };
}

function createParseError(message: string): { readonly kind: 'invalid'; readonly message: string } {
  return { kind: 'invalid', message };
}

/** Accepts any text that is not empty. */
export function text(input: string): Parsed<string> {
  return input === '' ? createParseError('the value must not be empty') : createParsedValue(input);
}

/** Returns the text, or `undefined` if the text is empty. */
export function optionalText(input: string): Parsed<string | undefined> {
  return createParsedValue(input === '' ? undefined : input);
}

/** Parses a comma-separated list. Removes duplicates and rejects empty elements. Empty text becomes an empty list. */
export function textList(input: string): Parsed<readonly string[]> {
  const elements = input.split(',').map((each) => each.trim());
  if (input.trim() === '') return createParsedValue([]);
  return elements.includes('')
    ? createParseError('use a comma-separated list, such as a,b')
    : createParsedValue([...new Set(elements)]);
}

/** Accepts the same spellings as Go's `strconv.ParseBool`. */
export function bool(input: string): Parsed<boolean> {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(input)) return createParsedValue(true);
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(input)) return createParsedValue(false);
  return createParseError('use true or false');
}

/** Parses the address of a server, such as `:8443` or `127.0.0.1:8080`. `0` turns the server off. */
export function bindAddress(input: string): Parsed<BindAddress> {
  const address = parseBindAddress(input);
  return address.kind === 'invalid' ? createParseError(address.message) : createParsedValue(address);
}

/** Returns a parser of decimal integers from `min` to `max`, both included. `min` must not be negative. */
export function integer(min: number, max: number): (input: string) => Parsed<number> {
  return (input) => {
    const number = Number(input);
    const isInRange = /^\d+$/.test(input) && number >= min && number <= max;
    return isInRange ? createParsedValue(number) : createParseError(`use a whole number from ${min} to ${max}`);
  };
}

/** Returns a parser that converts durations in Go's format, such as `1h30m`, to milliseconds. */
export function durationMs(
  rangeDescription: string,
  isInRange: (ms: number) => boolean,
): (input: string) => Parsed<number> {
  return (input) => {
    const ms = parseDurationMs(input) ?? Number.NaN;
    return isInRange(ms)
      ? createParsedValue(ms)
      : createParseError(`use a duration (${rangeDescription}), such as 500ms, 30s or 1h30m`);
  };
}

/** The lifetime of a certificate is at least 5 minutes, so that all replicas have time to load a renewed certificate. */
export const certificateDurationMs = durationMs(
  '5m to 87600h',
  (ms) => ms >= MIN_CERTIFICATE_DURATION_MS && ms <= MAX_CERTIFICATE_DURATION_MS,
);

const MIN_CERTIFICATE_DURATION_MS = 5 * 60_000;
const MAX_CERTIFICATE_DURATION_MS = 87_600 * 3_600_000;

/**
 * Parses an RFC 3339 time. The UTC offset is required, so the result does not depend on the time zone of the machine.
 */
export function instant(input: string): Parsed<Date> {
  const date = new Date(RFC3339_TIME_PATTERN.test(input) ? input : Number.NaN);
  // `Date` accepts a day after the end of the month, such as 02-30, and returns a day of the next month.
  const midnight = new Date(`${input.slice(0, 10)}T00:00:00Z`);
  const isValid = !Number.isNaN(date.getTime()) && midnight.toISOString().startsWith(input.slice(0, 10));
  return isValid
    ? createParsedValue(date)
    : createParseError('use an RFC 3339 time, such as 2026-03-28T00:00:00Z or 2026-03-28T00:00:00+01:00');
}

const RFC3339_TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Returns a parser that accepts only `values`. */
export function oneOf<T extends string>(values: readonly T[]): (input: string) => Parsed<T> {
  return (input) => {
    const value = values.find((candidate) => candidate === input);
    return value === undefined ? createParseError(`use one of ${values.join(', ')}`) : createParsedValue(value);
  };
}

/** Parses a comma-separated list of namespaces. Removes duplicates. Empty text becomes an empty list. */
export function namespaceList(input: string): Parsed<readonly string[]> {
  const names = input.split(',').map((name) => name.trim());
  if (input.trim() === '') return createParsedValue([]);
  const invalidName = names.find((name) => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name));
  return invalidName === undefined
    ? createParsedValue([...new Set(names)])
    : createParseError(
        `"${invalidName}" is not a valid namespace name; use a comma-separated list, such as team-a,team-b`,
      );
}

/** Parses a label selector. Returns `undefined` for an empty selector, which selects every object. */
export function labelSelectorText(input: string): Parsed<string | undefined> {
  try {
    return createParsedValue(String(new ParsedLabelSelector(input)) || undefined);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return createParseError(`${error.message}; use a label selector such as shard=a or "shard notin (a,b)"`);
  }
}
