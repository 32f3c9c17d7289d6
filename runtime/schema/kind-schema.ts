import type { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import { withDefaults, withoutNulls } from './defaults.ts';
import { findFaults } from './find-faults.ts';
import { formatMessage } from './issue-messages.ts';
import { buildTree, getProperty, type SchemaTree } from './schema-tree.ts';

/** Maximum length of `metadata.name` for new objects. The name of an existing object cannot change. */
export interface NameRule {
  /** Maximum length in characters. */
  readonly maxLength: number;
  /** Error message for a longer name, with advice. */
  readonly message: string;
}

/** The schemas of a kind, with functions for its objects. */
export interface KindSchema {
  /** Zod schema of the desired state. */
  readonly spec: z.ZodObject;
  /** Zod schema of the observed state. Absent for a kind without status. */
  readonly status?: z.ZodObject;
  /**
   * Returns at most 50 faults in the name and the spec of an object. The messages come from the schema. The default
   * messages are the same as for built-in kinds. For an update, returns only faults in changed values, so an existing
   * fault does not block other changes. Ignores unknown fields, which the API server prunes or rejects. Never throws.
   */
  faults(object: unknown, oldObject?: unknown): readonly FieldError[];
  /**
   * Returns the object with the same defaults in the spec as the API server sets. Null fields also get a default.
   * Returns `object` itself if the spec already has all defaults. Also returns `object` itself if the spec is missing,
   * because the API server rejects an object without a spec even if each field of the spec has a default. Never throws.
   */
  withDefaults<T>(object: T): T;
  /**
   * Returns the object without null fields in the spec, except where the schema accepts null. Returns `object` itself
   * if the spec has no such null fields.
   */
  withoutNulls<T>(object: T): T;
}

interface KindSchemaOptions {
  readonly spec: z.ZodObject;
  readonly status: z.ZodObject | undefined;
  readonly name: NameRule | undefined;
}

export function createKindSchema({ spec, status, name }: KindSchemaOptions): KindSchema {
  let cachedTree: SchemaTree | undefined;
  const getTree = () => {
    cachedTree ??= buildTree(spec);
    return cachedTree;
  };
  return {
    spec,
    ...(status && { status }),
    faults(object, oldObject) {
      const spec = { tree: getTree(), field: 'spec', value: getProperty(object, 'spec') };
      if (oldObject !== undefined) return findFaults({ ...spec, old: { value: getProperty(oldObject, 'spec') } });
      return [...findNameFaults(name, object), ...findFaults(spec)];
    },
    withDefaults: (object) => replaceSpec(object, (spec) => withDefaults(getTree(), spec)),
    withoutNulls: (object) => replaceSpec(object, (spec) => withoutNulls(getTree(), spec)),
  };
}

function replaceSpec<T>(object: T, replace: (spec: unknown) => unknown): T {
  const spec = getProperty(object, 'spec');
  if (!isRecord(spec)) return object;
  const newSpec = replace(spec);
  return newSpec === spec ? object : { ...object, spec: newSpec };
}

function findNameFaults(rule: NameRule | undefined, object: unknown): readonly FieldError[] {
  const name = getProperty(getProperty(object, 'metadata'), 'name');
  if (rule === undefined || typeof name !== 'string' || name.length <= rule.maxLength) return [];
  const reason = 'FieldValueInvalid';
  return [{ reason, field: 'metadata.name', message: formatMessage(reason, name, rule.message) }];
}
