/** What the schemas of a kind say of an object that is yet to be stored. */
import type { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import { withDefaults } from './defaults.ts';
import { messageOf } from './fault-words.ts';
import { faultsOf } from './faults.ts';
import { type SchemaTree, treeOf, valueAt } from './schema-tree.ts';

/** A bound of `metadata.name`. Checked of new objects only: an old one cannot change its name. */
export interface NameRule {
  readonly maxLength: number;
  /** What is wrong with a longer one, and what to do. */
  readonly message: string;
}

export interface KindSchema {
  readonly spec: z.ZodObject;
  readonly status?: z.ZodObject;
  /**
   * What is wrong with the name and the spec of an object, in the words of built-in kinds; a message that the schema has of its own
   * comes before those. At most 50. Of an update only what it changes: what was wrong before, and is as it was, does not keep other
   * changes back. Fields that the schema does not know are none of its business: the API server drops or refuses them. Never throws,
   * whatever the object is.
   */
  faults(object: unknown, old?: unknown): readonly FieldError[];
  /**
   * The object with the defaults of its spec, as the API server fills them in: null counts as left out. Returns what it is given
   * when nothing is missing.
   */
  withDefaults<T>(object: T): T;
}

interface Parts {
  readonly spec: z.ZodObject;
  readonly status: z.ZodObject | undefined;
  readonly name: NameRule | undefined;
}

export function kindSchema({ spec, status, name }: Parts): KindSchema {
  // Made when it is asked for: a manager without webhooks needs none.
  let made: SchemaTree | undefined;
  const tree = () => {
    made ??= treeOf(spec);
    return made;
  };
  return {
    spec,
    ...(status && { status }),
    faults(object, old) {
      const place = { tree: tree(), field: 'spec', value: valueAt(object, 'spec') };
      if (old !== undefined) return faultsOf({ ...place, old: { value: valueAt(old, 'spec') } });
      return [...nameFaults(name, object), ...faultsOf(place)];
    },
    withDefaults: (object) => {
      const given = valueAt(object, 'spec');
      if (!isRecord(given)) return object;
      const completed = withDefaults(tree(), given);
      return completed === given ? object : { ...object, spec: completed };
    },
  };
}

function nameFaults(rule: NameRule | undefined, object: unknown): readonly FieldError[] {
  const name = valueAt(valueAt(object, 'metadata'), 'name');
  if (rule === undefined || typeof name !== 'string' || name.length <= rule.maxLength) return [];
  const reason = 'FieldValueInvalid';
  return [{ reason, field: 'metadata.name', message: messageOf(reason, name, rule.message) }];
}
