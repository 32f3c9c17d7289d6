/** Conditions in the status of an object: Go's `metav1.Condition` and `meta.SetStatusCondition`. */
import type { KubernetesObject } from './object.ts';

/** A condition in the status of an object. */
export interface Condition {
  /** Type in CamelCase, such as `Ready`. A status has at most one condition of each type. */
  readonly type: string;
  /** Whether the condition holds. `Unknown` if the controller cannot determine the status. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Machine-readable reason: one word in CamelCase. */
  readonly reason: string;
  /** Message for users. */
  readonly message: string;
  /** `metadata.generation` of the spec that the condition describes. */
  readonly observedGeneration?: number | undefined;
  /** Time of the last change of {@link status}, in RFC 3339 with whole seconds. */
  readonly lastTransitionTime: string;
}

/** A {@link Condition} without `lastTransitionTime`, which `setCondition` computes. */
export type NewCondition<C extends Condition = Condition> = Pick<C, 'type' | 'status' | 'reason' | 'message'> & {
  /** `undefined` means absent. */
  readonly observedGeneration?: number | undefined;
};

/** The fields that the conditions of all kinds have, including the conditions of built-in kinds. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/** Maximum length of the message in {@link errorCondition}. The schema of a condition allows 32,768 characters. */
const MAX_ERROR_LENGTH = 1024;

/**
 * Returns the condition `Ready` with the status `False` for a failed reconcile. The message of the condition contains
 * the messages of the error and its causes.
 */
export function errorCondition({ metadata }: Pick<KubernetesObject, 'metadata'>, error: unknown) {
  const message = listErrorMessages(error).join(': ').slice(0, MAX_ERROR_LENGTH);
  const reason = 'ReconcileFailed';
  return { type: 'Ready', status: 'False', reason, message, observedGeneration: metadata.generation } as const;
}

function listErrorMessages(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { message, name, cause } = error;
  return [message || name, ...(cause === undefined ? [] : listErrorMessages(cause))];
}

/**
 * Returns `conditions` with `newConditions` added or replaced: one condition, or a list. `lastTransitionTime` becomes
 * `now` if the status of the condition changes. Returns `conditions` itself if each condition is unchanged, so you can
 * compare with `===` to skip a write.
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  newConditions: NewCondition<NoInfer<C>> | readonly NewCondition<NoInfer<C>>[],
  now: Date,
): readonly C[] {
  if ('type' in newConditions) return setOneCondition(conditions ?? [], newConditions, now);
  return newConditions.reduce(
    (list: readonly C[], condition: NewCondition<C>) => setOneCondition(list, condition, now),
    conditions ?? [],
  );
}

function setOneCondition<C extends Condition>(
  conditions: readonly C[],
  condition: NewCondition<C>,
  now: Date,
): readonly C[] {
  const existingCondition = getCondition(conditions, condition.type);
  if (existingCondition !== undefined && isSameCondition(existingCondition, condition)) return conditions;
  const { type, status, reason, message, observedGeneration } = condition;
  const updatedCondition = {
    type,
    status,
    reason,
    message,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime:
      existingCondition?.status === condition.status ? existingCondition.lastTransitionTime : formatTime(now),
  } as C; // `condition` has the type, status and reason of C
  if (existingCondition === undefined) return [...conditions, updatedCondition];
  return conditions.with(conditions.indexOf(existingCondition), updatedCondition);
}

/** Returns the condition of this type, or `undefined` if the list has no such condition. */
export function getCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns whether a condition of this type exists and has the status `True`. */
export function isConditionTrue<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/** Returns `conditions` without the condition of this type, or `conditions` itself if it contains no such condition. */
export function removeCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): readonly C[] {
  if (conditions === undefined || getCondition(conditions, type) === undefined) return conditions ?? [];
  return conditions.filter((condition) => condition.type !== type);
}

function isSameCondition(left: Condition, right: NewCondition): boolean {
  return (
    left.status === right.status &&
    left.reason === right.reason &&
    left.message === right.message &&
    left.observedGeneration === right.observedGeneration
  );
}

function formatTime(instant: Date): string {
  return `${instant.toISOString().slice(0, -'.000Z'.length)}Z`;
}
