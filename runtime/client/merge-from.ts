import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { MergePatch, Patch } from './patch.ts';

/** Options of {@link mergeFrom}. */
export interface MergeFromOptions {
  /** Whether the API server responds with 409 if the object has changed since `oldObject` was read. Default false. */
  readonly optimisticLock?: boolean;
}

/**
 * Returns the merge patch that changes `oldObject` to `newObject`, like `client.MergeFrom` of controller-runtime. The patch
 * removes fields that are absent or undefined in `newObject`, and replaces whole lists. Example:
 * `client.patch(pods, key, mergeFrom(pod, { ...pod, metadata: { … } }))`.
 */
export function mergeFrom<T extends KubernetesObject>(
  oldObject: T,
  newObject: NoInfer<T>,
  { optimisticLock = false }: MergeFromOptions = {},
): Extract<Patch<T>, { kind: 'merge' }> {
  const changes = diffFields(toJsonFields(oldObject), toJsonFields(newObject));
  const { resourceVersion } = oldObject.metadata;
  const changesWithVersion = { ...changes, metadata: { ...Object(changes['metadata']), resourceVersion } };
  // The type of the patch allows null in all fields of T.
  return { kind: 'merge', body: (optimisticLock ? changesWithVersion : changes) as MergePatch<T> };
}

type JsonFields = Readonly<Record<string, unknown>>;

function diffFields(oldFields: JsonFields, newFields: JsonFields): JsonFields {
  const names = new Set([...Object.keys(oldFields), ...Object.keys(newFields)]);
  const changes: Record<string, unknown> = {};
  for (const name of names) {
    const [old, desired] = [oldFields[name], newFields[name]];
    if (isDeepStrictEqual(old, desired)) continue;
    changes[name] = isRecord(old) && isRecord(desired) ? diffFields(old, desired) : (desired ?? null);
  }
  return changes;
}

/** Removes undefined fields. */
function toJsonFields(value: unknown): JsonFields {
  return JSON.parse(JSON.stringify(value));
}
