/**
 * Reads objects whose fields may have any type: a mutating webhook receives objects before their validation, and the
 * CRD in the API server may be older than this code.
 */
import { isSameJson } from 'controller-runtime/schema';

/** Returns the value at `path`, or `undefined` if a field of the path is absent or null. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let current = object;
  for (const name of path) current = isRecord(current) ? current[name] : undefined;
  return current ?? undefined;
}

/** Returns true for a JSON object, and false for null and arrays. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns true if an update changes the value at `path`. Without `oldObject`, the request creates the object, and the
 * result is true.
 */
export function isChanged(object: unknown, oldObject: unknown, ...path: readonly string[]): boolean {
  return oldObject === undefined || !isSameJson(valueAt(object, ...path), valueAt(oldObject, ...path));
}

/** Returns a copy without null fields, because a null field is the same as an absent field. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}
