/** Conditions of a status: `metav1.Condition`, and what apimachinery's `meta.SetStatusCondition` does with them. */

export interface Condition {
  /** In CamelCase, such as `Ready`; one of a type in each status. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** `metadata.generation` of the spec that it tells of. */
  readonly observedGeneration?: number | undefined;
  /** RFC 3339, whole seconds: when {@link status} last changed. */
  readonly lastTransitionTime: string;
}

/** A {@link Condition} as somebody finds it, who need not know since when it has been so. */
export type NewCondition<C extends Condition = Condition> = Pick<C, 'type' | 'status' | 'reason' | 'message'> & {
  /** `undefined` is as good as absent. */
  readonly observedGeneration?: number | undefined;
};

/** Enough of a condition to look at, also where a kind's own has other fields. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/**
 * The conditions with this one among them. `lastTransitionTime` becomes `now` when the status differs from before, and else stays.
 * Returns the list that it was given when nothing has changed, so that `===` tells whether there is something to write.
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  found: NewCondition<NoInfer<C>>,
  now: Date,
): readonly C[] {
  const before = getCondition(conditions, found.type);
  if (conditions !== undefined && before !== undefined && isSame(before, found)) return conditions;
  const { observedGeneration, ...condition } = found;
  const after = {
    ...condition,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : wholeSeconds(now),
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

/** Returns the list that it was given when there is no condition of this type. */
export function removeCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): readonly C[] {
  if (conditions === undefined || getCondition(conditions, type) === undefined) return conditions ?? [];
  return conditions.filter((condition) => condition.type !== type);
}

function isSame(left: Condition, right: NewCondition): boolean {
  return (
    left.status === right.status &&
    left.reason === right.reason &&
    left.message === right.message &&
    left.observedGeneration === right.observedGeneration
  );
}

/** `metav1.Time`. */
function wholeSeconds(instant: Date): string {
  return `${instant.toISOString().slice(0, -'.000Z'.length)}Z`;
}
