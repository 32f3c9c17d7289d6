/** Events of changes: one for each stored change, and no other. */
import { findBrokenRules } from './facts.ts';
import type { ObservedPass } from './observed-pass.ts';
import { findCondition } from './suspension-rules.ts';

/**
 * Rules for a finished pass. A pass that finds the status of a failed write stored reports its changes: then there may be several changes
 * at once, and the stored status may already have the last of them.
 */
export function checkEvents(pass: ObservedPass): readonly string[] {
  const before = pass.readCronJob?.status;
  const after = pass.writtenCronJob === undefined ? before : pass.sentStatus?.status;
  const [wasOverdue, isOverdue] = [before, after].map((status) => findCondition(status, 'Overdue')?.status === 'True');
  const [wasPaused, isPaused] = [before, after].map((status) => status?.paused !== undefined);
  const isExpecting = findCondition(after, 'Overdue') !== undefined;
  return findBrokenRules({
    'one event says that a success is overdue, and one that it is not any more':
      !isExpecting || matchesTransition(pass, ['Overdue', 'NotOverdue'], [wasOverdue, isOverdue]),
    'one event says that a pause begins, and one that it ends': matchesTransition(
      pass,
      ['Paused', 'Resumed'],
      [wasPaused, isPaused],
    ),
  });
}

type EventPair = readonly [begins: string, ends: string];

function matchesTransition(
  { events, hadPending }: ObservedPass,
  pair: EventPair,
  [was, is]: readonly (boolean | undefined)[],
): boolean {
  const reasons = events.filter((reason) => pair.includes(reason));
  const last = is ? pair[0] : pair[1];
  if (!hadPending) return was === is ? reasons.length === 0 : reasons.length === 1 && reasons[0] === last;
  const alternates = reasons.every((reason, index) => reason !== reasons[index - 1]);
  return alternates && (reasons.length === 0 || reasons.at(-1) === last);
}
