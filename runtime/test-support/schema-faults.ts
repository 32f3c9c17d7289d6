/** Returns the faults of a value according to the schema of its field. */
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { findFaults } from '../schema/find-faults.ts';
import { buildTree } from '../schema/schema-tree.ts';

/** @param reason A `metav1.CauseType` without the prefix `FieldValue`, such as `Required`. */
export const fault = (reason: string, field: string, message: string): FieldError => ({
  reason: `FieldValue${reason}`,
  field,
  message,
});
export const invalid = (field: string, message: string) => fault('Invalid', field, `Invalid value: ${message}`);

/** Returns the faults of a spec with the field `x`. */
export function findFieldFaults(
  fieldSchema: z.ZodType,
  value: unknown,
  oldSpec?: { readonly x: unknown },
): readonly FieldError[] {
  const schema = z.object({ x: fieldSchema });
  return findFaults({
    tree: buildTree(schema),
    value: { x: value },
    field: 'spec',
    ...(oldSpec && { old: { value: oldSpec } }),
  });
}
