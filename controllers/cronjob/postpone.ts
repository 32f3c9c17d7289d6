/** The short end of a pass that started a Job while other CronJobs are due: the next pass settles everything. Instead of settle.ts. */

import { formatTime, latest } from '../../api/time.ts';
import { storedRunNow } from '../../api/v1/asked-values.ts';
import { type Applied, runsSeen } from './applied.ts';
import type { Decision } from './decide.ts';
import type { Facts } from './facts.ts';
import { runOf } from './job.ts';
import type { Memory } from './memory.ts';
import { type Requeue, requeueAfterMs } from './next-pass.ts';
import { recentRunOf } from './recent-runs.ts';
import { rememberJobs, unstoredRuns } from './remember.ts';
import { type Told, toldByJob } from './settle.ts';
import { slotOutcome } from './slot-outcome.ts';
import { describe, referenceTo, slotsUpTo } from './status.ts';

/** What is left to do at once. */
export interface Postponed {
  readonly told: Told;
  readonly memory: Memory;
  readonly requeue: Requeue;
}

/** `undefined` when the pass cannot end yet: no Job was started, or it saw what the next pass may not see any more. */
export function postpone(facts: Facts, decision: Decision, applied: Applied): Postponed | undefined {
  const { memory, cronJob } = facts;
  const { started } = applied;
  if (!('job' in decision) || !('job' in started) || seesUnrecordedEnd(facts)) return undefined;
  const run = runOf(started.job);
  const seen = runsSeen(facts.runs, started);
  return {
    told: toldByJob(applied, slotOutcome(facts, decision, started)),
    memory: {
      uid: cronJob.metadata.uid,
      ...rememberJobs(facts, {
        // All, because one whose create got no answer may not be in the cache by the next pass.
        active: seen.filter(({ state }) => state === 'Active').map(({ job }) => referenceTo(job)),
        replaced: applied.replaced,
        seen,
      }),
      // The Job may be gone by the next pass, as one is that succeeds at once and keeps no time to live.
      unstored: {
        ...memory.unstored,
        ...handledBy(decision, facts),
        lastRun: describe(run),
        ...unstoredRuns(memory, [recentRunOf(run)]),
      },
    },
    requeue: {
      ...requeueAfterMs(facts.next, facts.now),
      retry: false,
      requeue: decision.kind === 'RunNow' ? 'normal' : 'low',
    },
  };
}

/** A run that is not active any more, and that the stored status does not know to be over. Its Job may be deleted before the next pass. */
function seesUnrecordedEnd({ stored, memory, runs }: Facts): boolean {
  const known = new Set([...(stored.active ?? []), ...memory.unrecorded].map(({ uid }) => uid));
  return runs.some(({ job, state }) => state !== 'Active' && known.has(job.metadata.uid));
}

/** What the Job proves while it is there, and those that this pass saw: it may have deleted them, to be replaced. */
function handledBy(decision: Extract<Decision, { kind: 'Run' | 'RunNow' }>, facts: Facts): Memory['unstored'] {
  const { due, runNow, now, runs } = facts;
  if (decision.kind === 'RunNow') {
    const slot = latest(...slotsUpTo(now, runs));
    return { lastManualRun: storedRunNow(decision.value), ...(slot && { lastScheduleTime: formatTime(slot) }) };
  }
  const { newest: expired } = due.expired;
  return {
    lastScheduleTime: formatTime(decision.slot),
    ...(expired && { handledThrough: formatTime(expired) }),
    ...(runNow.kind === 'Handled' && { lastManualRun: storedRunNow(runNow.value) }),
  };
}
