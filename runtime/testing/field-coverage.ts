import type { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { EXAMPLES } from '../schema/examples.ts';
import { formatChildPath } from '../schema/issue-messages.ts';
import { buildTree, listChildren, type SchemaTree } from '../schema/schema-tree.ts';
import { unwrapLayers } from '../schema/wrapped-schema.ts';
import type { FieldValues } from './schema-values.ts';

/**
 * Records the fields of the spec that had a valid value in at least one generated object. A check discards invalid
 * objects. Without the coverage, a check would succeed although no object contained an optional field.
 */
export class FieldCoverage {
  readonly #spec: SchemaTree;
  readonly #validFields = new Set<string>();
  readonly #faults = new Map<string, FieldError>();

  constructor(spec: z.ZodObject) {
    this.#spec = buildTree(spec);
  }

  /** Records a generated spec, before defaults are added, and the faults of the object. */
  add(spec: unknown, faults: readonly FieldError[]): void {
    for (const fault of faults) this.#faults.set(toSchemaPath(fault.field), fault);
    if (faults.length === 0) this.#addFields(this.#spec, spec, 'spec');
  }

  /** One fault of each field that had invalid values, but no valid value. */
  get uncovered(): readonly FieldError[] {
    return [...this.#faults].flatMap(([field, fault]) => (this.#validFields.has(field) ? [] : [{ ...fault, field }]));
  }

  #addFields(tree: SchemaTree, value: unknown, path: string): void {
    if (value === undefined || value === null) return;
    this.#validFields.add(path);
    for (const child of listChildren(tree, value) ?? [])
      this.#addFields(child.tree, child.value, toChildPath(tree, path, child.key));
  }
}

/** Returns the {@link EXAMPLES} of the fields in the spec. */
export function findExamples(spec: z.ZodObject): FieldValues {
  return Object.fromEntries(listExamples(buildTree(spec), 'spec'));
}

type FieldExamples = readonly [path: string, values: readonly unknown[]];

function listExamples(tree: SchemaTree, path: string): readonly FieldExamples[] {
  const { element, mapEntry, fields = [], variants } = tree;
  const items = [element, mapEntry?.values].filter((each) => each !== undefined);
  return [
    ...[...unwrapLayers(tree.schema)].flatMap((layer): readonly FieldExamples[] => {
      const examples = EXAMPLES.get(layer);
      return examples === undefined ? [] : [[path, examples.values]];
    }),
    ...items.flatMap((item) => listExamples(item, `${path}[]`)),
    ...fields.flatMap(({ key, tree: child }) => listExamples(child, `${path}.${key}`)),
    ...[...(variants?.byValue.values() ?? [])].flatMap((variant) => listExamples(variant, path)),
  ];
}

function toChildPath(parent: SchemaTree, path: string, key: string | number): string {
  return parent.fields || parent.variants ? toSchemaPath(formatChildPath(path, key)) : `${path}[]`;
}

/** Replaces the index of an element and the key of a map: `spec.words[0].text` becomes `spec.words[].text`. */
function toSchemaPath(path: string): string {
  return path.replaceAll(/\[[^\]]*\]/g, '[]');
}
