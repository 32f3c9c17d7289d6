/** Reduces a year that breaks a rule to a smaller one that still breaks it. */
import type { Limits } from './limits.ts';
import type { Violation } from './rule-checker.ts';

/** The first rule that a year with these limits has broken; `undefined` when it kept every rule. */
export type SimulateLimits = (limits: Limits) => Promise<Violation | undefined>;

export interface ShrinkResult {
  readonly limits: Limits;
  readonly violation: Violation;
  /** Whether every reduction was tried. */
  readonly isComplete: boolean;
}

/** Removes the objects from the text of a rule, because they differ from year to year. */
export function normalizeRule({ rule }: Pick<Violation, 'rule'>): string {
  return rule.replaceAll(/\([^)]*\)|\S*\d\S*/g, '…');
}

/**
 * Removes CronJobs, then kinds of faults, as long as the year breaks the same rule, and ends the year at that point.
 * @param isTimeLeft Called before each attempt.
 */
export async function shrink(
  simulate: SimulateLimits,
  initial: { readonly limits: Limits; readonly violation: Violation },
  isTimeLeft: () => boolean,
): Promise<ShrinkResult> {
  const rule = normalizeRule(initial.violation);
  let best = endAtViolation(initial.limits, initial.violation);
  const cronJobNumber = Number(/\d+$/.exec(initial.violation.key)?.[0]);
  const isBroken = async (limits: Limits) => {
    const violation = await simulate(limits);
    if (violation === undefined || normalizeRule(violation) !== rule) return false;
    best = endAtViolation(limits, violation);
    return true;
  };
  const queue: ((limits: Limits) => Limits)[] = [
    (limits) => ({ ...limits, cronJobs: [cronJobNumber], faultKinds: [] }),
    (limits) => ({ ...limits, cronJobs: [cronJobNumber] }),
    ...initial.limits.cronJobs
      .filter((each) => each !== cronJobNumber)
      .map((each) => (limits: Limits) => ({ ...limits, cronJobs: limits.cronJobs.filter((other) => other !== each) })),
    ...initial.limits.faultKinds.map((each) => (limits: Limits) => ({
      ...limits,
      faultKinds: limits.faultKinds.filter((other) => other !== each),
    })),
  ];
  for (const reduce of queue) {
    const limits = reduce(best.limits);
    if (countParts(limits) === countParts(best.limits)) continue;
    if (!isTimeLeft()) return { ...best, isComplete: false };
    await isBroken(limits);
  }
  return { ...best, isComplete: true };
}

/** The year ends when it breaks a rule. */
function endAtViolation(limits: Limits, violation: Violation): { limits: Limits; violation: Violation } {
  return { limits: { ...limits, until: violation.at }, violation };
}

function countParts({ cronJobs, faultKinds }: Limits): number {
  return cronJobs.length + faultKinds.length;
}
