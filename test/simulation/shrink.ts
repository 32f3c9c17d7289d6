/** Cuts a year that breaks a rule down to what still breaks it. */
import type { Limits } from './limits.ts';
import type { Violation } from './model.ts';

/** What a year with these limits has broken first; `undefined` when it kept every rule. */
export type Live = (limits: Limits) => Promise<Violation | undefined>;

export interface Shrunk {
  readonly limits: Limits;
  readonly violation: Violation;
  /** Everything was tried that may be left out. */
  readonly isComplete: boolean;
}

/** Rules say what they are about, which differs from year to year. */
export function lawOf({ rule }: Pick<Violation, 'rule'>): string {
  return rule.replaceAll(/\([^)]*\)|\S*\d\S*/g, '…');
}

/**
 * Leaves out CronJobs, then kinds of trouble, as long as the same law is broken, and ends when it is.
 * @param isTimeLeft Asked before each try.
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

/** The year ends with what it breaks. */
function endingThere(limits: Limits, violation: Violation): { limits: Limits; violation: Violation } {
  return { limits: { ...limits, until: violation.at }, violation };
}

function sizeOf({ cronJobs, mishaps }: Limits): number {
  return cronJobs.length + mishaps.length;
}
