/**
 * A tree of zod schemas for fast validation. The tree contains the properties of each schema, so that each property is
 * computed only once.
 */
import type { z } from 'zod';
import { isRecord } from '../kubernetes/is-record.ts';
import { listTransitionRules, type TransitionRule } from './api-rules.ts';
import { getVariants } from './variants.ts';
import {
  canBeAbsent,
  getChecks,
  isLengthCheck,
  unwrapLayers,
  type ZodCheck,
  type ZodSchema,
} from './wrapped-schema.ts';

export interface SchemaTree {
  readonly schema: z.core.$ZodType;
  readonly canBeAbsent: boolean;
  /** Whether null is a valid value. A null field that is not nullable is treated as absent. */
  readonly isNullable: boolean;
  readonly lengthChecks: readonly ZodCheck[];
  /** Whether the schema has rules for the whole value, in addition to limits for the length of a list. */
  readonly hasRules: boolean;
  /** Rules that compare the value with its old value. Excludes the rules of variants. */
  readonly transitionRules: readonly TransitionRule[];
  /** Whether the schema, or one of its variants, has rules that compare the value with its old value. */
  readonly hasTransitionRules: boolean;
  /** Fields of an object. Absent if the schema is not an object. */
  readonly fields?: readonly { readonly key: string; readonly tree: SchemaTree }[];
  /** Schema of the elements of a list. Absent if the schema is not a list. */
  readonly element?: SchemaTree;
  /** Schemas of the keys and values of a map. Absent if the schema is not a map. */
  readonly mapEntry?: { readonly keys: z.core.$ZodType; readonly values: SchemaTree };
  /** Schemas of the variants of a union, by the value of the discriminator. Absent if the schema is not a union. */
  readonly variants?: { readonly discriminator: string; readonly byValue: ReadonlyMap<unknown, SchemaTree> };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Builds the tree of `schema`. For a recursive schema, the tree is recursive too. */
export function buildTree(schema: z.core.$ZodType, treesBySchema = new Map<z.core.$ZodType, SchemaTree>()): SchemaTree {
  const existingTree = treesBySchema.get(schema);
  if (existingTree !== undefined) return existingTree;
  const layers = [...unwrapLayers(schema)];
  const checks = layers.flatMap(getChecks);
  const lengthChecks = checks.filter(isLengthCheck);
  const transitionRules = layers.flatMap(listTransitionRules);
  const tree: Mutable<SchemaTree> = {
    schema,
    canBeAbsent: canBeAbsent(schema),
    isNullable: layers.some(({ _zod }) => NULLABLE_TYPES.has(_zod.def.type)),
    lengthChecks,
    hasRules: checks.length > lengthChecks.length,
    transitionRules,
    hasTransitionRules: transitionRules.length > 0,
  };
  treesBySchema.set(schema, tree);
  const branches = buildBranches(layers.at(-1), (child) => buildTree(child, treesBySchema));
  const variants = [...(branches.variants?.byValue.values() ?? [])];
  return Object.assign(tree, branches, {
    hasRules: tree.hasRules || variants.some(({ hasRules }) => hasRules),
    hasTransitionRules: tree.hasTransitionRules || variants.some(({ hasTransitionRules }) => hasTransitionRules),
  });
}

const NULLABLE_TYPES: ReadonlySet<string> = new Set(['nullable', 'null', 'any', 'unknown']);

function buildBranches(
  innermostSchema: ZodSchema | undefined,
  buildChild: (child: z.core.$ZodType) => SchemaTree,
): Pick<SchemaTree, 'fields' | 'element' | 'mapEntry' | 'variants'> {
  const def = innermostSchema?._zod.def;
  const variants = innermostSchema && getVariants(innermostSchema);
  if (variants !== undefined) {
    const entries = variants.options.flatMap(({ values, schema }) =>
      values.map((value) => [value, buildChild(schema)] as const),
    );
    return { variants: { discriminator: variants.discriminator, byValue: new Map(entries) } };
  }
  if (def?.type === 'object')
    return { fields: Object.entries(def.shape).map(([key, child]) => ({ key, tree: buildChild(child) })) };
  if (def?.type === 'array') return { element: buildChild(def.element) };
  return def?.type === 'record' ? { mapEntry: { keys: def.keyType, values: buildChild(def.valueType) } } : {};
}

/** A field of an object, an element of a list or a value of a map, with its schema. */
export interface ChildValue {
  readonly tree: SchemaTree;
  readonly key: string | number;
  readonly value: unknown;
}

/** Returns the fields, elements or map values of `value`, or `undefined` if `value` has a wrong type. */
export function listChildren(
  { fields, element, mapEntry, variants }: SchemaTree,
  value: unknown,
): readonly ChildValue[] | undefined {
  if (element !== undefined) {
    return Array.isArray(value) ? value.map((each, key) => ({ tree: element, key, value: each })) : undefined;
  }
  if (!isRecord(value)) return undefined;
  const variant = variants?.byValue.get(getProperty(value, variants.discriminator));
  if (variant !== undefined) return listChildren(variant, value);
  if (mapEntry !== undefined)
    return Object.entries(value).map(([key, each]) => ({ tree: mapEntry.values, key, value: each }));
  return fields?.map(({ key, tree }) => ({ tree, key, value: getProperty(value, key) }));
}

/** Returns a property of an object or a list, or `undefined` for a scalar. Ignores inherited properties. */
export function getProperty(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/**
 * Replaces null with `undefined` if the schema is not nullable, because the API server treats null in a field that is
 * not nullable as absent.
 */
export function nullToUndefined({ isNullable }: SchemaTree, value: unknown): unknown {
  return value === null && !isNullable ? undefined : value;
}
