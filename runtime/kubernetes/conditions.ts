/** Status conditions: `metav1.Condition`, and an equivalent of apimachinery's `meta.SetStatusCondition`. */

export interface Condition {
  /** In CamelCase, such as `Ready`; unique in each status. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** For users. */
  readonly message: string;
  /** `metadata.generation` of the spec that the condition describes. */
  readonly observedGeneration?: number | undefined;
  /** RFC 3339, whole seconds: when {@link status} last changed. */
  readonly lastTransitionTime: string;
}

/** A {@link Condition} without its transition time, which the caller need not know. */
export type NewCondition<C extends Condition = Condition> = Pick<C, 'type' | 'status' | 'reason' | 'message'> & {
  /** `undefined` means absent. */
  readonly observedGeneration?: number | undefined;
};

/** The fields that all conditions have, also for kinds whose conditions have other fields. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/**
 * Returns the conditions with this one added or replaced. `lastTransitionTime` becomes `now` when the status changes,
 * and otherwise stays. Returns the given list when nothing has changed, so that `===` shows whether to write.
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  condition: NewCondition<NoInfer<C>>,
  now: Date,
): readonly C[] {
  const before = getCondition(conditions, condition.type);
  if (conditions !== undefined && before !== undefined && isSameCondition(before, condition)) return conditions;
  const { observedGeneration, ...fields } = condition;
  const after = {
    ...fields,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : formatTime(now),
  } as C; // a Condition, whose type, status and reason are those of C
  if (conditions === undefined || before === undefined) return [...(conditions ?? []), after];
  return conditions.with(conditions.indexOf(before), after);
}

export function getCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/** Returns the given list when it has no condition of this type. */
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

/** `metav1.Time`. */
function formatTime(instant: Date): string {
  return `${instant.toISOString().slice(0, -'.000Z'.length)}Z`;
}
