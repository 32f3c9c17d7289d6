/** Parses flag values, such as durations and times. */
import { durationMs, instant, type Parsed } from 'controller-runtime';
import { type CommandFlag, UsageError } from './command.ts';
import { type parseNextTime, TIME_EXAMPLES } from './report/time-of-day.ts';

type FlagValues = ReadonlyMap<string, string>;
type ValueParser<T> = (text: string) => Parsed<T>;

/** Returns the value on the command line, or the default value of the flag. Throws a UsageError that names the flag. */
export function parseFlag<T>(
  flagValues: FlagValues,
  flag: CommandFlag & { readonly default: string },
  parse: ValueParser<T>,
): T;
export function parseFlag<T>(flagValues: FlagValues, flag: CommandFlag, parse: ValueParser<T>): T | undefined;
export function parseFlag<T>(flagValues: FlagValues, flag: CommandFlag, parse: ValueParser<T>): T | undefined {
  const text = flagValues.get(flag.name) ?? flag.default;
  if (text === undefined) return undefined;
  const parsed = parse(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new UsageError(`--${flag.name}: ${JSON.stringify(text)} is not valid: ${parsed.message}`);
}

const HOUR_MS = 3_600_000;

/** Returns a parser for durations from one second to `maxHours`, such as `1h30m`. The parsed value is in milliseconds. */
export function createDurationParser(maxHours: number): ValueParser<number> {
  return durationMs(`1s to ${maxHours}h`, (ms) => ms >= 1000 && ms <= maxHours * HOUR_MS);
}

/** Returns a parser for RFC 3339 times and for local times such as `02:00`. `parseTime` parses the local times. */
export function createTimeParser(zone: string, now: Date, parseTime: typeof parseNextTime): ValueParser<Date> {
  return (text) => {
    const value = parseTime(text, zone, now);
    if (value !== undefined) return { kind: 'ok', value };
    const parsed = instant(text);
    return parsed.kind === 'ok' ? parsed : { kind: 'invalid', message: `use ${TIME_EXAMPLES}` };
  };
}

const TIMEOUT_FLAG = 'timeout';
const MAX_TIMEOUT_HOURS = 168;

/** Returns the flag --timeout. */
export function createTimeoutFlag(description: string): CommandFlag {
  return { name: TIMEOUT_FLAG, value: 'duration', description };
}

/**
 * Returns the timeout in milliseconds, or infinity without the flag. Throws a UsageError if the command line has --timeout without
 * any of the `waitFlags`.
 */
export function parseTimeout(flagValues: FlagValues, waitFlags: readonly CommandFlag[]): number {
  const timeoutMs = parseFlag(flagValues, createTimeoutFlag(''), createDurationParser(MAX_TIMEOUT_HOURS));
  if (timeoutMs === undefined) return Number.POSITIVE_INFINITY;
  if (waitFlags.some(({ name }) => flagValues.has(name))) return timeoutMs;
  throw new UsageError(`--${TIMEOUT_FLAG} requires ${waitFlags.map(({ name }) => `--${name}`).join(' or ')}`);
}
