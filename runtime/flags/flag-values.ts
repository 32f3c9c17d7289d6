/** Parses the values of flags. Every parser returns the value, or a description of valid values. */
import { LabelSelectorError, ParsedLabelSelector } from '../client/label-selector.ts';
import { type BindAddress, parseBindAddress } from '../http/bind-address.ts';
import { parseDurationMs } from './duration.ts';

/** The parsed value, or a description of valid values: `a number from 1 to 9`. */
export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'invalid'; readonly message: string };

function ok<T>(value: T): Parsed<T> {
  return { kind: 'ok', value };
}

function invalid(message: string): { readonly kind: 'invalid'; readonly message: string } {
  return { kind: 'invalid', message };
}

export function text(given: string): Parsed<string> {
  return given === '' ? invalid('it must not be empty') : ok(given);
}

export function optionalText(given: string): Parsed<string | undefined> {
  return ok(given === '' ? undefined : given);
}

export function textList(given: string): Parsed<readonly string[]> {
  const texts = given.split(',').map((each) => each.trim());
  if (given.trim() === '') return ok([]);
  return texts.includes('') ? invalid('give texts with commas between, such as a,b') : ok([...new Set(texts)]);
}

/** The spellings that Go accepts. */
export function bool(given: string): Parsed<boolean> {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(given)) return ok(true);
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(given)) return ok(false);
  return invalid('give true or false');
}

export function bindAddress(given: string): Parsed<BindAddress> {
  const address = parseBindAddress(given);
  return address.kind === 'invalid' ? invalid(address.message) : ok(address);
}

export function integer(min: number, max: number): (given: string) => Parsed<number> {
  return (given) => {
    const number = Number(given);
    const isInRange = /^\d+$/.test(given) && number >= min && number <= max;
    return isInRange ? ok(number) : invalid(`give a whole number from ${min} to ${max}`);
  };
}

export function durationMs(range: string, isInRange: (ms: number) => boolean): (given: string) => Parsed<number> {
  return (given) => {
    const ms = parseDurationMs(given) ?? Number.NaN;
    return isInRange(ms) ? ok(ms) : invalid(`give ${range} with a unit, such as 500ms, 30s or 1h30m`);
  };
}

/** At most ten years, and long enough for replicas to follow the steps of a renewal. */
export const certificateDurationMs = durationMs(
  '5m to 87600h',
  (ms) => ms >= MIN_CERTIFICATE_DURATION_MS && ms <= MAX_CERTIFICATE_DURATION_MS,
);

const MIN_CERTIFICATE_DURATION_MS = 5 * 60_000;
const MAX_CERTIFICATE_DURATION_MS = 87_600 * 3_600_000;

/** RFC 3339 with an offset: the value must not depend on the machine's time zone. */
export function instant(given: string): Parsed<Date> {
  const date = new Date(RFC_3339.test(given) ? given : Number.NaN);
  // Date accepts a day beyond the end of the month and moves it to the next month.
  const midnight = new Date(`${given.slice(0, 10)}T00:00:00Z`);
  const isValid = !Number.isNaN(date.getTime()) && midnight.toISOString().startsWith(given.slice(0, 10));
  return isValid ? ok(date) : invalid('give an instant such as 2026-03-28T00:00:00Z or 2026-03-28T00:00:00+01:00');
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export function oneOf<T extends string>(values: readonly T[]): (given: string) => Parsed<T> {
  return (given) => {
    const value = values.find((candidate) => candidate === given);
    return value === undefined ? invalid(`give one of ${values.join(', ')}`) : ok(value);
  };
}

/** Names of namespaces are RFC 1123 labels. */
export function namespaceList(given: string): Parsed<readonly string[]> {
  const names = given.split(',').map((name) => name.trim());
  if (given.trim() === '') return ok([]);
  const wrong = names.find((name) => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name));
  return wrong === undefined
    ? ok([...new Set(names)])
    : invalid(`"${wrong}" cannot be a namespace; give names with commas between, such as team-a,team-b`);
}

/** A label selector in text form; `undefined` when it is empty and selects everything. */
export function labelSelector(given: string): Parsed<string | undefined> {
  try {
    return ok(String(new ParsedLabelSelector(given)) || undefined);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return invalid(`${error.message}; give a label selector such as shard=a or "shard notin (a,b)"`);
  }
}
