/** Values of the annotations run-now and resume, as the status records them once they are handled. */
import { hash } from 'node:crypto';

/** Longest value that the status stores unchanged, in characters. An annotation may have 256 KiB. */
const MAX_STORED_LENGTH = 253;

/** The value as the status records it: the hash of a long value. */
export function toStoredValue(value: string): string {
  if (value.length <= MAX_STORED_LENGTH) return value;
  return `sha256:${hash('sha256', value)}`;
}

/** Whether the status records the value. */
export function isStoredValue(value: string, stored: string | undefined): boolean {
  return stored === toStoredValue(value);
}
