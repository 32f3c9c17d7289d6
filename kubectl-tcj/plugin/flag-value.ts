/** Parses flag values that are not plain texts. */
import { durationMs, instant, type Parsed } from 'controller-runtime';
import { type CommandFlag, UsageError } from './command.ts';
import { type parseNextTime, TIME_FORMS } from './report/time-of-day.ts';

type ValueByFlag = ReadonlyMap<string, string>;
type ParseValue<T> = (text: string) => Parsed<T>;

/** The given value, or the default; `undefined` without both. Throws a UsageError that names the flag. */
export function parseFlag<T>(
  flagValues: ValueByFlag,
  flag: CommandFlag & { readonly default: string },
  read: ParseValue<T>,
): T;
export function parseFlag<T>(flagValues: ValueByFlag, flag: CommandFlag, read: ParseValue<T>): T | undefined;
export function parseFlag<T>(flagValues: ValueByFlag, flag: CommandFlag, read: ParseValue<T>): T | undefined {
  const text = flagValues.get(flag.name) ?? flag.default;
  if (text === undefined) return undefined;
  const parsed = read(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new UsageError(`--${flag.name}: ${JSON.stringify(text)} is not valid: ${parsed.message}`);
}

const HOUR_MS = 3_600_000;

/** Reads a duration such as `1h30m`, from a second to `maxHours`, as milliseconds. */
export function parseDurationUpTo(maxHours: number): ParseValue<number> {
  return durationMs(`1s to ${maxHours}h`, (ms) => ms >= 1000 && ms <= maxHours * HOUR_MS);
}

/** Reads a time on the clock of the zone, or an instant. @param read `latestTime` or `parseNextTime`. */
export function parseTimeIn(zone: string, now: Date, read: typeof parseNextTime): ParseValue<Date> {
  return (text) => {
    const value = read(text, zone, now);
    if (value !== undefined) return { kind: 'ok', value };
    const parsed = instant(text);
    return parsed.kind === 'ok' ? parsed : { kind: 'invalid', message: `use ${TIME_FORMS}` };
  };
}

const TIMEOUT = 'timeout';
const MAX_TIMEOUT_HOURS = 168;

/** `--timeout`: how long a command waits. */
export function createTimeoutFlag(description: string): CommandFlag {
  return { name: TIMEOUT, value: 'duration', description };
}

/**
 * The timeout in milliseconds; infinite without the flag. Throws a UsageError for a timeout without a flag that waits.
 * @param waiting Flags with which the command waits.
 */
export function parseTimeout(flagValues: ValueByFlag, waiting: readonly CommandFlag[]): number {
  const timeoutMs = parseFlag(flagValues, createTimeoutFlag(''), parseDurationUpTo(MAX_TIMEOUT_HOURS));
  if (timeoutMs === undefined) return Number.POSITIVE_INFINITY;
  if (waiting.some(({ name }) => flagValues.has(name))) return timeoutMs;
  throw new UsageError(`--${TIMEOUT} requires ${waiting.map(({ name }) => `--${name}`).join(' or ')}`);
}
