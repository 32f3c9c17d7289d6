/** Which events are worth a reconcile. */
import type { KubernetesObject } from './client/object.ts';

/** What is not given is let through. */
export interface Predicate<T> {
  readonly onAdd?: (object: T) => boolean;
  readonly onUpdate?: (old: T, object: T) => boolean;
  readonly onDelete?: (object: T) => boolean;
}

/**
 * Lets an update through when the spec, the labels, the annotations or the deletion mark changed, and not when only the
 * status did. For kinds whose spec is counted by `metadata.generation`, as that of every custom resource is.
 */
export const specOrMetadataChanged: Predicate<KubernetesObject> = {
  onUpdate: ({ metadata: old }, { metadata }) =>
    old.uid !== metadata.uid ||
    old.generation !== metadata.generation ||
    old.deletionTimestamp !== metadata.deletionTimestamp ||
    !sameEntries(old.labels, metadata.labels) ||
    !sameEntries(old.annotations, metadata.annotations),
};

type Entries = Readonly<Record<string, string>>;

function sameEntries(left: Entries = {}, right: Entries = {}): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
