/** The faults of a value by the schema of its field. */
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { findFaults } from '../schema/faults.ts';
import { buildTree } from '../schema/schema-tree.ts';

/** @param reason `metav1.CauseType` without `FieldValue`. */
export const fault = (reason: string, field: string, message: string): FieldError => ({
  reason: `FieldValue${reason}`,
  field,
  message,
});
export const invalid = (field: string, message: string) => fault('Invalid', field, `Invalid value: ${message}`);

/** Faults of a spec with one field `x`. */
export function findFieldFaults(x: z.ZodType, value: unknown, old?: { readonly x: unknown }): readonly FieldError[] {
  const schema = z.object({ x });
  return findFaults({
    tree: buildTree(schema),
    value: { x: value },
    field: 'spec',
    ...(old && { old: { value: old } }),
  });
}
