import { type LabelSelector, ParsedLabelSelector } from '../client/label-selector.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * Filters events. If the predicate has no function for an event type, all events of the type pass. If a function
 * throws, the event passes, and the controller logs the error.
 */
export interface Predicate<T> {
  /** Whether the event of a new object passes. Default: all pass. */
  readonly onAdd?: (object: T) => boolean;
  /** Whether the event of a changed object passes. Default: all pass. */
  readonly onUpdate?: (oldObject: T, object: T) => boolean;
  /** Whether the event of a deleted object passes. Default: all pass. */
  readonly onDelete?: (object: T) => boolean;
}

/**
 * Accepts events of objects for which `test` returns true. For an update, calls `test` with the new object. Corresponds
 * to `NewPredicateFuncs` in Go.
 */
export function createPredicate<T>(test: (object: T) => boolean): Predicate<T> {
  return { onAdd: test, onUpdate: (_, object) => test(object), onDelete: test };
}

/** Accepts the events that all predicates accept. */
export function and<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return combinePredicates((isAccepted) => predicates.every(isAccepted));
}

/** Accepts the events that at least one predicate accepts. */
export function or<T>(...predicates: readonly [Predicate<T>, ...Predicate<T>[]]): Predicate<T> {
  return combinePredicates((isAccepted) => predicates.some(isAccepted));
}

/**
 * Accepts the events that `predicate` rejects. If `predicate` has no function for an event type, it accepts the events
 * of this type, so `not` rejects them.
 */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return combinePredicates((isAccepted) => !isAccepted(predicate));
}

/** @param combineResults Receives a function that returns whether a predicate accepts the event. */
function combinePredicates<T>(
  combineResults: (isAccepted: (predicate: Predicate<T>) => boolean) => boolean,
): Predicate<T> {
  return {
    onAdd: (object) => combineResults(({ onAdd }) => onAdd?.(object) ?? true),
    onUpdate: (oldObject, object) => combineResults(({ onUpdate }) => onUpdate?.(oldObject, object) ?? true),
    onDelete: (object) => combineResults(({ onDelete }) => onDelete?.(object) ?? true),
  };
}

/**
 * Accepts an update if `metadata.generation` changed. For custom resources with a status subresource, the generation
 * changes with the spec and after a delete request. An update also passes if the object was deleted and created again,
 * as with all predicates that compare two states of an object.
 */
export const generationChanged = createUpdatePredicate(
  (oldMetadata, newMetadata) => oldMetadata.generation !== newMetadata.generation,
);

/** Accepts an update if the labels changed. */
export const labelChanged = createUpdatePredicate(
  (oldMetadata, newMetadata) => !hasSameEntries(oldMetadata.labels, newMetadata.labels),
);

/** Accepts an update if the annotations changed. */
export const annotationChanged = createUpdatePredicate(
  (oldMetadata, newMetadata) => !hasSameEntries(oldMetadata.annotations, newMetadata.annotations),
);

/** Accepts an update if the resource version changed, which means that any field changed. */
export const resourceVersionChanged = createUpdatePredicate(
  (oldMetadata, newMetadata) => oldMetadata.resourceVersion !== newMetadata.resourceVersion,
);

/**
 * Accepts an update if the spec, the labels, the annotations or the deletion timestamp changed. Rejects an update that
 * changes only the status. Requires a kind whose `metadata.generation` changes with the spec, such as a custom
 * resource.
 */
export const specOrMetadataChanged = createUpdatePredicate(
  (oldMetadata, newMetadata) =>
    oldMetadata.generation !== newMetadata.generation ||
    oldMetadata.deletionTimestamp !== newMetadata.deletionTimestamp ||
    !hasSameEntries(oldMetadata.labels, newMetadata.labels) ||
    !hasSameEntries(oldMetadata.annotations, newMetadata.annotations),
);

/**
 * Accepts events of objects whose labels match the selector, such as `app=web,tier in (front,back)`. An update is also
 * accepted if the old labels matched, so that you can react to an object that no longer matches. Throws if the selector
 * is invalid. To save memory, use the option `labelSelector` of the watch instead.
 */
export function labelSelector(selector: LabelSelector): Predicate<KubernetesObject> {
  const parsedSelector = new ParsedLabelSelector(selector);
  const isSelected = ({ metadata }: KubernetesObject) => parsedSelector.matches(metadata.labels);
  return {
    onAdd: isSelected,
    onUpdate: (oldObject, object) => isSelected(oldObject) || isSelected(object),
    onDelete: isSelected,
  };
}

type Metadata = KubernetesObject['metadata'];

function createUpdatePredicate(
  isChanged: (oldMetadata: Metadata, newMetadata: Metadata) => boolean,
): Predicate<KubernetesObject> {
  return {
    onUpdate: ({ metadata: oldMetadata }, { metadata: newMetadata }) =>
      oldMetadata.uid !== newMetadata.uid || isChanged(oldMetadata, newMetadata),
  };
}

type StringMap = Readonly<Record<string, string>>;

function hasSameEntries(left: StringMap = {}, right: StringMap = {}): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
