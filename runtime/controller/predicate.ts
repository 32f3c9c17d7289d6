/** Which events are worth a reconcile. */
import { type LabelSelector, ParsedLabelSelector } from '../client/label-selector.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/** What is not given is let through. Where one throws, the event is let through and the error logged. */
export interface Predicate<T> {
  readonly onAdd?: (object: T) => boolean;
  readonly onUpdate?: (old: T, object: T) => boolean;
  readonly onDelete?: (object: T) => boolean;
}

/** Lets through events of objects that pass `test`; an update by what the object is now. Go's `NewPredicateFuncs`. */
export function predicateOf<T>(test: (object: T) => boolean): Predicate<T> {
  return { onAdd: test, onUpdate: (_, object) => test(object), onDelete: test };
}

/** Lets through what all of them do. */
export function and<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return combined((accepts) => predicates.every(accepts));
}

/** Lets through what at least one of them does. */
export function or<T>(...predicates: readonly [Predicate<T>, ...Predicate<T>[]]): Predicate<T> {
  return combined((accepts) => predicates.some(accepts));
}

/** Lets through what `predicate` does not. It does not look at some events, and so lets them through: these are held back. */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return combined((accepts) => !accepts(predicate));
}

/** @param decide Gets the function that tells whether a predicate accepts the event. */
function combined<T>(decide: (accepts: (predicate: Predicate<T>) => boolean) => boolean): Predicate<T> {
  return {
    onAdd: (object) => decide(({ onAdd }) => onAdd?.(object) ?? true),
    onUpdate: (old, object) => decide(({ onUpdate }) => onUpdate?.(old, object) ?? true),
    onDelete: (object) => decide(({ onDelete }) => onDelete?.(object) ?? true),
  };
}

/**
 * Lets an update through when `metadata.generation` changed: for custom resources with a status subresource, when the spec did or
 * deletion was asked for. As the others below, also when another object took the name.
 */
export const generationChanged = ifUpdated((old, now) => old.generation !== now.generation);

/** Lets an update through when the labels changed. */
export const labelChanged = ifUpdated((old, now) => !sameEntries(old.labels, now.labels));

/** Lets an update through when the annotations changed. */
export const annotationChanged = ifUpdated((old, now) => !sameEntries(old.annotations, now.annotations));

/** Lets an update through when anything changed. */
export const resourceVersionChanged = ifUpdated((old, now) => old.resourceVersion !== now.resourceVersion);

/**
 * Lets an update through when the spec, the labels, the annotations or the deletion mark changed, and not when only the
 * status did. For kinds whose spec is counted by `metadata.generation`, as that of every custom resource is.
 */
export const specOrMetadataChanged = ifUpdated(
  (old, now) =>
    old.generation !== now.generation ||
    old.deletionTimestamp !== now.deletionTimestamp ||
    !sameEntries(old.labels, now.labels) ||
    !sameEntries(old.annotations, now.annotations),
);

/**
 * Lets through events of objects whose labels fit, such as `app=web,tier in (front,back)`; an update also when they did before, so
 * that an object which leaves the selection is noticed. Throws when the selector cannot be read. To hold such objects alone in memory, select them where the kind is watched instead.
 */
export function labelSelector(selector: LabelSelector): Predicate<KubernetesObject> {
  const parsed = new ParsedLabelSelector(selector);
  const isSelected = ({ metadata }: KubernetesObject) => parsed.matches(metadata.labels);
  return { onAdd: isSelected, onUpdate: (old, object) => isSelected(old) || isSelected(object), onDelete: isSelected };
}

type Metadata = KubernetesObject['metadata'];

function ifUpdated(isChanged: (old: Metadata, now: Metadata) => boolean): Predicate<KubernetesObject> {
  return { onUpdate: ({ metadata: old }, { metadata: now }) => old.uid !== now.uid || isChanged(old, now) };
}

type Entries = Readonly<Record<string, string>>;

function sameEntries(left: Entries = {}, right: Entries = {}): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
