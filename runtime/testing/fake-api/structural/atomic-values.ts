import { isRecord } from '../../../kubernetes/is-record.ts';
import type { StructuralSchema } from '../../../schema/structural-schema.ts';
import { getFieldSchema } from './decode.ts';

/**
 * Returns `value` without the atomic objects that `configuration` replaces. Server-side apply does not merge an atomic
 * object.
 */
export function withoutAtomicValues(
  schema: StructuralSchema | undefined,
  value: unknown,
  configuration: unknown,
): unknown {
  if (schema === undefined || !isRecord(value) || !isRecord(configuration)) return value;
  if (schema['x-kubernetes-map-type'] === 'atomic') return undefined;
  const fields = Object.entries(value).map(([name, field]) => {
    return [name, withoutAtomicValues(getFieldSchema(schema, name), field, configuration[name])] as const;
  });
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}
