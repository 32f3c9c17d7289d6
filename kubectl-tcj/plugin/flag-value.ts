/** Values of flags that are no texts. */
import { durationMs, type Parsed } from 'controller-runtime';
import { UsageError } from './command.ts';

/** Throws a UsageError that names the flag. */
export function flagValue<T>(flag: string, text: string, read: (text: string) => Parsed<T>): T {
  const parsed = read(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new UsageError(`--${flag}: ${JSON.stringify(text)} is not valid: ${parsed.message}`);
}

const HOUR_MS = 3_600_000;

/** Milliseconds, of a duration such as `1h30m`, from a second to `maxHours`. */
export function durationOf(flag: string, text: string, maxHours: number): number {
  return flagValue(
    flag,
    text,
    durationMs(`1s to ${maxHours}h`, (ms) => ms >= 1000 && ms <= maxHours * HOUR_MS),
  );
}
