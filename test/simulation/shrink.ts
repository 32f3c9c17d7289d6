/** Reduces a year that breaks a rule to a smaller one that still breaks it. */
import type { Limits } from './limits.ts';
import type { Violation } from './model.ts';

/** The first rule that a year with these limits has broken; `undefined` when it kept every rule. */
export type Live = (limits: Limits) => Promise<Violation | undefined>;

export interface Shrunk {
  readonly limits: Limits;
  readonly violation: Violation;
  /** Whether every reduction was tried. */
  readonly isComplete: boolean;
}

/** Removes the objects from the text of a rule, because they differ from year to year. */
export function lawOf({ rule }: Pick<Violation, 'rule'>): string {
  return rule.replaceAll(/\([^)]*\)|\S*\d\S*/g, '…');
}

/**
 * Removes CronJobs, then kinds of faults, as long as the year breaks the same law, and ends the year at that point.
 * @param isTimeLeft Called before each attempt.
 */
export async function shrink(
  live: Live,
  begun: { readonly limits: Limits; readonly violation: Violation },
  isTimeLeft: () => boolean,
): Promise<Shrunk> {
  const law = lawOf(begun.violation);
  let best = endingThere(begun.limits, begun.violation);
  const accused = Number(/\d+$/.exec(begun.violation.key)?.[0]);
  const isBroken = async (limits: Limits) => {
    const violation = await live(limits);
    if (violation === undefined || lawOf(violation) !== law) return false;
    best = endingThere(limits, violation);
    return true;
  };
  const queue: ((limits: Limits) => Limits)[] = [
    (limits) => ({ ...limits, cronJobs: [accused], mishaps: [] }),
    (limits) => ({ ...limits, cronJobs: [accused] }),
    ...begun.limits.cronJobs
      .filter((each) => each !== accused)
      .map((each) => (limits: Limits) => ({ ...limits, cronJobs: limits.cronJobs.filter((other) => other !== each) })),
    ...begun.limits.mishaps.map((each) => (limits: Limits) => ({
      ...limits,
      mishaps: limits.mishaps.filter((other) => other !== each),
    })),
  ];
  for (const cut of queue) {
    const limits = cut(best.limits);
    if (sizeOf(limits) === sizeOf(best.limits)) continue;
    if (!isTimeLeft()) return { ...best, isComplete: false };
    await isBroken(limits);
  }
  return { ...best, isComplete: true };
}

/** The year ends when it breaks a rule. */
function endingThere(limits: Limits, violation: Violation): { limits: Limits; violation: Violation } {
  return { limits: { ...limits, until: violation.at }, violation };
}

function sizeOf({ cronJobs, mishaps }: Limits): number {
  return cronJobs.length + mishaps.length;
}
