/** The merge patch between two states of an object: Go's `client.MergeFrom`. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { MergePatch, Patch } from './patch.ts';

export interface MergeFromOptions {
  /** The server answers 409 when the object has changed since `before` was read. Default false. */
  readonly optimisticLock?: boolean;
}

/**
 * Returns the difference: `client.patch(pods, key, mergeFrom(pod, { ...pod, metadata: { … } }))`. Fields that are
 * absent or undefined in `after` are removed; lists are replaced as a whole.
 */
export function mergeFrom<T extends KubernetesObject>(
  before: T,
  after: NoInfer<T>,
  { optimisticLock = false }: MergeFromOptions = {},
): Extract<Patch<T>, { kind: 'merge' }> {
  const changes = diffFields(asJson(before), asJson(after));
  const { resourceVersion } = before.metadata;
  const locked = { ...changes, metadata: { ...Object(changes['metadata']), resourceVersion } };
  return { kind: 'merge', body: (optimisticLock ? locked : changes) as MergePatch<T> }; // fields of T, or null
}

type JsonFields = Readonly<Record<string, unknown>>;

function diffFields(before: JsonFields, after: JsonFields): JsonFields {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes: Record<string, unknown> = {};
  for (const name of names) {
    const [old, desired] = [before[name], after[name]];
    if (isDeepStrictEqual(old, desired)) continue;
    changes[name] = isRecord(old) && isRecord(desired) ? diffFields(old, desired) : (desired ?? null);
  }
  return changes;
}

/** Drops undefined fields. */
function asJson(value: unknown): JsonFields {
  return JSON.parse(JSON.stringify(value));
}
