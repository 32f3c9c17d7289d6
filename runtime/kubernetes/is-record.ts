/** Returns whether `value` is a JSON object. `null` and arrays are not JSON objects. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
