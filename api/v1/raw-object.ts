/**
 * Reads objects of unknown type. A mutating webhook gets objects before their validation, and the CRD of the API server may be
 * older than this code.
 */
import { isSameJson } from 'controller-runtime/schema';

/** The value at `path`; `undefined` when a part of the path is missing or is not an object. Null counts as missing. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return value ?? undefined;
}

/** Whether `value` is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an update changes the value at `path`. A create, which has no `old`, changes everything. */
export function isChanged(object: unknown, old: unknown, ...path: readonly string[]): boolean {
  return old === undefined || !isSameJson(valueAt(object, ...path), valueAt(old, ...path));
}
