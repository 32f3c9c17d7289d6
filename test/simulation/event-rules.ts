/** Events of changes: one for each that is stored, and none besides. */
import { broken } from './facts.ts';
import type { Pass } from './pass.ts';
import { conditionOf } from './suspension-rules.ts';

/** Of a pass that is over. What a status says that nobody heard of was told to nobody either. */
export function brokenByEvents({ view, wrote, sent, events }: Pass): readonly string[] {
  const before = view?.status;
  const after = wrote === undefined ? before : sent?.status;
  const isOverdue = [before, after].map((status) => conditionOf(status, 'Overdue')?.status === 'True');
  const isPaused = [before, after].map((status) => status?.paused !== undefined);
  const began = ([was, is]: readonly boolean[]) => Number(was === false && is === true);
  const count = (reason: string) => events.filter((each) => each === reason).length;
  const isExpecting = conditionOf(after, 'Overdue') !== undefined;
  return broken({
    'an event says that a success is overdue, once': count('Overdue') === began(isOverdue),
    'an event says that a success is not overdue any more, once':
      count('NotOverdue') === (isExpecting ? began(isOverdue.toReversed()) : 0),
    'an event says that the schedule is paused, once': count('Paused') === began(isPaused),
    'an event says that the schedule goes on, once': count('Resumed') === began(isPaused.toReversed()),
  });
}
