import { hash } from 'node:crypto';

/** The maximum length of a stored annotation value, in characters. The annotation itself can be 256 KiB long. */
const MAX_STORED_LENGTH = 253;

/** Returns the text that the status stores for an annotation value: the value itself, or the hash of a long value. */
export function toStoredValue(value: string): string {
  if (value.length <= MAX_STORED_LENGTH) return value;
  return `sha256:${hash('sha256', value)}`;
}

/** Returns true if `storedValue` in the status records the annotation value `value`. */
export function isStoredValue(value: string, storedValue: string | undefined): boolean {
  return storedValue === toStoredValue(value);
}
