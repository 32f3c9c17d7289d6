/** Events of changes: one for each stored change, and no other. */
import { findBrokenRules } from './facts.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { findCondition } from './suspension-rules.ts';

/**
 * Rules for a finished reconcile. A reconcile that finds the status of a failed write stored reports its changes: then there may be
 * several changes at once, and the stored status may already have the last of them.
 */
export function checkEvents(observed: ObservedReconcile): readonly string[] {
  const before = observed.readCronJob?.status;
  const after = observed.writtenCronJob === undefined ? before : observed.sentStatus?.status;
  const [wasOverdue, isOverdue] = [before, after].map((status) => findCondition(status, 'Overdue')?.status === 'True');
  const [wasPaused, isPaused] = [before, after].map((status) => status?.paused !== undefined);
  const isExpecting = findCondition(after, 'Overdue') !== undefined;
  return findBrokenRules({
    'one event says that a success is overdue, and one that it is not any more':
      !isExpecting || matchesTransition(observed, ['Overdue', 'NotOverdue'], [wasOverdue, isOverdue]),
    'one event says that a pause begins, and one that it ends': matchesTransition(
      observed,
      ['Paused', 'Resumed'],
      [wasPaused, isPaused],
    ),
  });
}

type EventPair = readonly [begins: string, ends: string];

function matchesTransition(
  { events, hadPending }: ObservedReconcile,
  pair: EventPair,
  [was, is]: readonly (boolean | undefined)[],
): boolean {
  const reasons = events.filter((reason) => pair.includes(reason));
  const last = is ? pair[0] : pair[1];
  if (!hadPending) return was === is ? reasons.length === 0 : reasons.length === 1 && reasons[0] === last;
  const alternates = reasons.every((reason, index) => reason !== reasons[index - 1]);
  return alternates && (reasons.length === 0 || reasons.at(-1) === last);
}
