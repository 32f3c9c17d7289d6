/** `--timeout`: how long a command waits. */
import { type Flag, UsageError } from './command.ts';
import { durationOf } from './flag-value.ts';

const NAME = 'timeout';
const MAX_HOURS = 168;

export function timeoutFlag(description: string): Flag {
  return { name: NAME, value: 'duration', description, default: '' };
}

/**
 * In milliseconds; infinite when none is given. Throws a UsageError for one without a wait.
 * @param waiting Flags with which the command waits.
 */
export function timeoutOf(given: ReadonlyMap<string, string>, waiting: readonly Flag[]): number {
  const text = given.get(NAME);
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!waiting.some(({ name }) => given.has(name))) {
    throw new UsageError(`--${NAME} is for ${waiting.map(({ name }) => `--${name}`).join(' and ')}`);
  }
  return durationOf(NAME, text, MAX_HOURS);
}
