/** The end of a pass that could not read all Jobs. It decides nothing, and remembers what those that it has seen prove. */
import type { Decision } from './decide.ts';
import type { Facts } from './facts.ts';
import type { Memory } from './memory.ts';
import { recentRunOf } from './recent-runs.ts';
import { rememberJobs, unstoredOf, unstoredRuns } from './remember.ts';
import { slotOutcome } from './slot-outcome.ts';
import { statusAfter } from './status.ts';

const DECIDED_NOTHING: Decision = { kind: 'NothingDue' };
const NOTHING_STARTED = { kind: 'None' } as const;

/**
 * What is left to the next pass by one that has seen the Jobs of `facts`, and perhaps not all: they may be gone by then, and no slot
 * whose Job was seen may run again.
 */
export function memoryOfSeen(facts: Facts): Memory {
  const { cronJob, stored, memory, runs } = facts;
  const slots = slotOutcome(facts, DECIDED_NOTHING, NOTHING_STARTED);
  const applied = { started: NOTHING_STARTED, replaced: [] };
  const status = statusAfter(facts, DECIDED_NOTHING, { applied, slots });
  // It follows from the Jobs that are missing here, too.
  const { handledThrough: _, recentRuns: __, lastRun, ...proven } = unstoredOf(status, stored);
  const hasSeenLastRun = runs.some(({ job }) => job.metadata.name === lastRun?.jobName);
  return {
    uid: cronJob.metadata.uid,
    ...rememberJobs(facts, { active: status.active ?? [], replaced: [], seen: runs }),
    unstored: {
      ...memory.unstored,
      ...proven,
      ...(hasSeenLastRun && { lastRun }),
      ...unstoredRuns(memory, runs.filter(({ state }) => state === 'Active').map(recentRunOf), stored),
    },
  };
}
