/** Events of changes: one for each stored change, and no other. */
import { broken } from './facts.ts';
import type { Pass } from './pass.ts';
import { conditionOf } from './suspension-rules.ts';

/**
 * Rules for a finished pass. A pass that finds the status of a failed write stored reports its changes: then there may be several changes
 * at once, and the stored status may already have the last of them.
 */
export function brokenByEvents(pass: Pass): readonly string[] {
  const before = pass.stored?.status;
  const after = pass.wrote === undefined ? before : pass.sent?.status;
  const [wasOverdue, isOverdue] = [before, after].map((status) => conditionOf(status, 'Overdue')?.status === 'True');
  const [wasPaused, isPaused] = [before, after].map((status) => status?.paused !== undefined);
  const isExpecting = conditionOf(after, 'Overdue') !== undefined;
  return broken({
    'events say when a success begins and ceases to be overdue, once each':
      !isExpecting || isTold(pass, ['Overdue', 'NotOverdue'], [wasOverdue, isOverdue]),
    'events say when a pause begins and ends, once each': isTold(pass, ['Paused', 'Resumed'], [wasPaused, isPaused]),
  });
}

type Names = readonly [begins: string, ends: string];

function isTold({ events, hadPending }: Pass, names: Names, [was, is]: readonly (boolean | undefined)[]): boolean {
  const told = events.filter((reason) => names.includes(reason));
  const last = is ? names[0] : names[1];
  if (!hadPending) return was === is ? told.length === 0 : told.length === 1 && told[0] === last;
  const takesTurns = told.every((reason, index) => reason !== told[index - 1]);
  return takesTurns && (told.length === 0 || told.at(-1) === last);
}
