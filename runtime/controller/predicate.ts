/** Which events trigger a reconcile. */
import { type LabelSelector, ParsedLabelSelector } from '../client/label-selector.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * Filters events. Without a function, all events of that type pass. If a function throws, the event is accepted and the error
 * logged.
 */
export interface Predicate<T> {
  readonly onAdd?: (object: T) => boolean;
  readonly onUpdate?: (old: T, object: T) => boolean;
  readonly onDelete?: (object: T) => boolean;
}

/** Accepts events of objects that pass `test`; for an update, it tests the new object. Go's `NewPredicateFuncs`. */
export function createPredicate<T>(test: (object: T) => boolean): Predicate<T> {
  return { onAdd: test, onUpdate: (_, object) => test(object), onDelete: test };
}

/** Accepts events that all predicates accept. */
export function and<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return combine((accepts) => predicates.every(accepts));
}

/** Accepts events that at least one predicate accepts. */
export function or<T>(...predicates: readonly [Predicate<T>, ...Predicate<T>[]]): Predicate<T> {
  return combine((accepts) => predicates.some(accepts));
}

/**
 * Accepts events that `predicate` rejects. Events for which `predicate` has no function are rejected, because it
 * accepts them.
 */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return combine((accepts) => !accepts(predicate));
}

/** @param decide Gets the function that returns whether a predicate accepts the event. */
function combine<T>(decide: (accepts: (predicate: Predicate<T>) => boolean) => boolean): Predicate<T> {
  return {
    onAdd: (object) => decide(({ onAdd }) => onAdd?.(object) ?? true),
    onUpdate: (old, object) => decide(({ onUpdate }) => onUpdate?.(old, object) ?? true),
    onDelete: (object) => decide(({ onDelete }) => onDelete?.(object) ?? true),
  };
}

/**
 * Accepts an update when `metadata.generation` changed: for custom resources with a status subresource, after a change
 * of the spec or a delete request. Like the predicates below, it also accepts an update when another object took the
 * name.
 */
export const generationChanged = acceptUpdateIf((old, now) => old.generation !== now.generation);

/** Accepts an update when the labels changed. */
export const labelChanged = acceptUpdateIf((old, now) => !hasSameEntries(old.labels, now.labels));

/** Accepts an update when the annotations changed. */
export const annotationChanged = acceptUpdateIf((old, now) => !hasSameEntries(old.annotations, now.annotations));

/** Accepts an update when anything changed. */
export const resourceVersionChanged = acceptUpdateIf((old, now) => old.resourceVersion !== now.resourceVersion);

/**
 * Accepts an update when the spec, the labels, the annotations or the deletion timestamp changed, but not when only the
 * status changed. For kinds whose `metadata.generation` counts changes of the spec, such as all custom resources.
 */
export const specOrMetadataChanged = acceptUpdateIf(
  (old, now) =>
    old.generation !== now.generation ||
    old.deletionTimestamp !== now.deletionTimestamp ||
    !hasSameEntries(old.labels, now.labels) ||
    !hasSameEntries(old.annotations, now.annotations),
);

/**
 * Accepts events of objects whose labels match, such as `app=web,tier in (front,back)`. Also accepts an update when the
 * old labels matched, so that you notice an object that leaves the selection. Throws when the selector is not valid. To
 * hold only matching objects in memory, use the selector of the watch instead.
 */
export function labelSelector(selector: LabelSelector): Predicate<KubernetesObject> {
  const parsed = new ParsedLabelSelector(selector);
  const isSelected = ({ metadata }: KubernetesObject) => parsed.matches(metadata.labels);
  return { onAdd: isSelected, onUpdate: (old, object) => isSelected(old) || isSelected(object), onDelete: isSelected };
}

type Metadata = KubernetesObject['metadata'];

function acceptUpdateIf(isChanged: (old: Metadata, now: Metadata) => boolean): Predicate<KubernetesObject> {
  return { onUpdate: ({ metadata: old }, { metadata: now }) => old.uid !== now.uid || isChanged(old, now) };
}

type StringEntries = Readonly<Record<string, string>>;

function hasSameEntries(left: StringEntries = {}, right: StringEntries = {}): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
