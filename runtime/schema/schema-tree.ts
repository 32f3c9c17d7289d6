/** A zod schema in a form for walks over values: the properties of each node are computed once. */
import type { z } from 'zod';
import { isRecord } from '../kubernetes/is-record.ts';
import {
  getChecks,
  isLengthCheck,
  mayBeAbsent,
  unwrapLayers,
  type ZodCheck,
  type ZodSchema,
} from './wrapped-schema.ts';

export interface SchemaTree {
  readonly schema: z.core.$ZodType;
  /** Whether the field is optional or has a default. */
  readonly mayBeAbsent: boolean;
  /** Whether null is a value; otherwise it means absent. */
  readonly isNullable: boolean;
  /** Checks of a list's length. */
  readonly lengthChecks: readonly ZodCheck[];
  /** Whether there is a rule on the whole value, besides the length of a list. */
  readonly hasRules: boolean;
  /**
   * For an object: the fields that the schema knows. The API server handles other fields: it prunes them, and a newer
   * CRD may have them.
   */
  readonly fields?: readonly { readonly key: string; readonly tree: SchemaTree }[];
  /** For a list. */
  readonly element?: SchemaTree;
  /** For a map. */
  readonly entry?: { readonly keys: z.core.$ZodType; readonly values: SchemaTree };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the tree of `schema`. A recursive schema has a recursive tree. */
export function buildTree(schema: z.core.$ZodType, trees = new Map<z.core.$ZodType, SchemaTree>()): SchemaTree {
  const existing = trees.get(schema);
  if (existing !== undefined) return existing;
  const layers = [...unwrapLayers(schema)];
  const checks = layers.flatMap(getChecks);
  const lengthChecks = checks.filter(isLengthCheck);
  const tree: Mutable<SchemaTree> = {
    schema,
    mayBeAbsent: mayBeAbsent(schema),
    isNullable: layers.some(({ _zod }) => NULLABLE.has(_zod.def.type)),
    lengthChecks,
    hasRules: checks.length > lengthChecks.length,
  };
  trees.set(schema, tree);
  return Object.assign(
    tree,
    buildBranches(layers.at(-1), (child) => buildTree(child, trees)),
  );
}

const NULLABLE: ReadonlySet<string> = new Set(['nullable', 'null', 'any', 'unknown']);

function buildBranches(
  base: ZodSchema | undefined,
  build: (child: z.core.$ZodType) => SchemaTree,
): Pick<SchemaTree, 'fields' | 'element' | 'entry'> {
  const def = base?._zod.def;
  if (def?.type === 'object')
    return { fields: Object.entries(def.shape).map(([key, child]) => ({ key, tree: build(child) })) };
  if (def?.type === 'array') return { element: build(def.element) };
  return def?.type === 'record' ? { entry: { keys: def.keyType, values: build(def.valueType) } } : {};
}

/** A part of a value, with its place in the tree. */
export interface ValuePart {
  readonly tree: SchemaTree;
  readonly key: string | number;
  readonly value: unknown;
}

/** Returns the parts of `value` when it is an object, a list or a map as its schema requires; else `undefined`. */
export function listParts({ fields, element, entry }: SchemaTree, value: unknown): readonly ValuePart[] | undefined {
  if (element !== undefined) {
    return Array.isArray(value) ? value.map((each, key) => ({ tree: element, key, value: each })) : undefined;
  }
  if (!isRecord(value)) return undefined;
  if (entry !== undefined)
    return Object.entries(value).map(([key, each]) => ({ tree: entry.values, key, value: each }));
  return fields?.map(({ key, tree }) => ({ tree, key, value: getProperty(value, key) }));
}

/** Returns the own property `key` of an object or a list; accepts any `value`. */
export function getProperty(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Returns `value` as the API server reads it: null means absent, unless the schema is nullable. */
export function nullToAbsent({ isNullable }: SchemaTree, value: unknown): unknown {
  return value === null && !isNullable ? undefined : value;
}
