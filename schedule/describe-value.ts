import { quote } from './quote.ts';

/**
 * Describes a value of the wrong type for an error message, because JavaScript does not check types. Examples:
 * `undefined`, `the number 5`, `the string "2026-01-01"`, `an object`.
 */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return `the ${typeof value} ${value}`;
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
