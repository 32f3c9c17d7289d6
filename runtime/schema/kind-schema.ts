/** Checks and completes an object that is not stored yet by the schemas of its kind. */
import type { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import { withDefaults } from './defaults.ts';
import { findFaults } from './faults.ts';
import { formatMessage } from './issue-messages.ts';
import { buildTree, getProperty, type SchemaTree } from './schema-tree.ts';

/** A limit on `metadata.name`. Checked only for new objects, because an existing object cannot change its name. */
export interface NameRule {
  readonly maxLength: number;
  /** Message for a longer name, with its fix. */
  readonly message: string;
}

export interface KindSchema {
  readonly spec: z.ZodObject;
  readonly status?: z.ZodObject;
  /**
   * Returns the faults in the name and the spec of an object, with the wording of built-in kinds; the schema's own
   * messages take precedence. At most 50. For an update, only faults in changed values: an unchanged fault does not
   * block other changes. Ignores fields that the schema does not know: the API server drops or rejects them. Never
   * throws, whatever the object is.
   */
  faults(object: unknown, old?: unknown): readonly FieldError[];
  /**
   * Returns the object with the defaults of its spec, as the API server fills them in: null counts as absent. Returns
   * the given object when nothing is missing.
   */
  withDefaults<T>(object: T): T;
}

interface KindSchemaOptions {
  readonly spec: z.ZodObject;
  readonly status: z.ZodObject | undefined;
  readonly name: NameRule | undefined;
}

export function kindSchema({ spec, status, name }: KindSchemaOptions): KindSchema {
  // Created on demand: a manager without webhooks does not need it.
  let cachedTree: SchemaTree | undefined;
  const tree = () => {
    cachedTree ??= buildTree(spec);
    return cachedTree;
  };
  return {
    spec,
    ...(status && { status }),
    faults(object, old) {
      const spec = { tree: tree(), field: 'spec', value: getProperty(object, 'spec') };
      if (old !== undefined) return findFaults({ ...spec, old: { value: getProperty(old, 'spec') } });
      return [...nameFaults(name, object), ...findFaults(spec)];
    },
    withDefaults: (object) => {
      const specValue = getProperty(object, 'spec');
      if (!isRecord(specValue)) return object;
      const completed = withDefaults(tree(), specValue);
      return completed === specValue ? object : { ...object, spec: completed };
    },
  };
}

function nameFaults(rule: NameRule | undefined, object: unknown): readonly FieldError[] {
  const name = getProperty(getProperty(object, 'metadata'), 'name');
  if (rule === undefined || typeof name !== 'string' || name.length <= rule.maxLength) return [];
  const reason = 'FieldValueInvalid';
  return [{ reason, field: 'metadata.name', message: formatMessage(reason, name, rule.message) }];
}
