import { hash } from 'node:crypto';

/** The maximum length of a stored annotation value, in characters. An annotation can have 256 KiB. */
const MAX_STORED_LENGTH = 253;

/** Returns the value that the status records for a handled annotation. A long value is replaced by its hash. */
export function toStoredValue(value: string): string {
  if (value.length <= MAX_STORED_LENGTH) return value;
  return `sha256:${hash('sha256', value)}`;
}

/** Returns true if `storedValue`, from the status, records the annotation value. */
export function isStoredValue(value: string, storedValue: string | undefined): boolean {
  return storedValue === toStoredValue(value);
}
