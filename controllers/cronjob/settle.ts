/** The last step of the core: from facts, decision and results, the status to store, the events to send, and the time of the next pass. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type Applied, runsSeen, type StatusWrite } from './applied.ts';
import type { Decision } from './decide.ts';
import { type CronJobEvent, eventsOfActions, eventsOfMissedSlots, eventsOfTransitions } from './events.ts';
import type { Facts } from './facts.ts';
import { jobsToPrune } from './history.ts';
import { type Run, startedAt } from './job.ts';
import { type Memory, NO_MEMORY } from './memory.ts';
import { requeueAfterMs, type Unfinished, unfinishedAfter, wakeUpAfter } from './next-pass.ts';
import { isResultNew } from './recent-runs.ts';
import { memoryOfUnstored } from './remember.ts';
import { type SlotCount, type SlotOutcome, slotOutcome, stoppedSlots } from './slot-outcome.ts';
import { statusAfter } from './status.ts';

/** What is left to do after the decision was carried out. */
export interface Settled {
  readonly status: CronJobStatus;
  /** Whether the status may be left to the next pass, which computes it anew. Not that of a failed start: that pass would try again. */
  readonly canWait: boolean;
  /** What was done, and what the Job of the run proves. Told whatever becomes of the status. */
  readonly atOnce: Told;
  /** What was seen for the first time. Told once `status`, which remembers it, is stored. */
  readonly onceStored: Told;
  /** The Jobs that were deleted to be replaced. */
  readonly replaced: readonly Job[];
  /** As {@link runsSeen} has them. */
  readonly seen: readonly Run[];
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  readonly unfinished: Unfinished;
}

/** What people are told: events to send, slots and results to count. */
export interface Told {
  readonly events: readonly CronJobEvent[];
  readonly slotCounts: readonly SlotCount[];
  readonly finished: readonly FinishedRun[];
}

export interface FinishedRun {
  readonly result: 'Succeeded' | 'Failed';
  /** From the start of its Job until it finished. */
  readonly seconds: number;
}

export const NOTHING_TOLD: Told = { events: [], slotCounts: [], finished: [] };

/** Computes what is left to do. */
export function settle(facts: Facts, decision: Decision, applied: Applied): Settled {
  const { started } = applied;
  const slots = slotOutcome(facts, decision, started);
  const status = statusAfter(facts, decision, { applied, slots });
  const wakeAt = wakeUpAfter(facts, { started, slots, status });
  const hasJob = 'job' in started;
  const transitions = eventsOfTransitions(facts, decision, { started, status });
  const later = hasJob ? NOTHING_TOLD : toldOfSlots(slots);
  return {
    status,
    canWait: hasJob || (started.kind === 'None' && decision.kind !== 'RecordFirst'),
    atOnce: hasJob ? toldByJob(applied, slots) : { ...NOTHING_TOLD, events: eventsOfActions(applied) },
    onceStored: {
      events: [...transitions, ...later.events],
      slotCounts: [...stoppedSlots(facts), ...later.slotCounts],
      finished: [],
    },
    replaced: applied.replaced,
    seen: runsSeen(facts.runs, started),
    ...requeueAfterMs(wakeAt, facts.now),
    unfinished: unfinishedAfter(facts, decision, started),
  };
}

/** What a pass has done and what the Job that it started proves. */
export function toldByJob(applied: Applied, slots: SlotOutcome): Told {
  const told = toldOfSlots(slots);
  return { ...told, events: [...eventsOfActions(applied), ...told.events] };
}

function toldOfSlots(slots: SlotOutcome): Told {
  return { ...NOTHING_TOLD, events: eventsOfMissedSlots(slots), slotCounts: slots.counts };
}

/** The runs whose results this pass is the first to record. */
function finishedRuns(facts: Facts, seen: readonly Run[]): readonly FinishedRun[] {
  const finished: FinishedRun[] = [];
  for (const run of seen) {
    const { state, finishedAt } = run;
    const started = startedAt(run);
    if (state === 'Active' || !started || !finishedAt || !isResultNew(run, facts)) continue;
    // The clocks of those who set these times may differ; a histogram's sum must not fall.
    finished.push({ result: state, seconds: Math.max(0, finishedAt.getTime() - started.getTime()) / 1000 });
  }
  return finished;
}

/** What is left to do after the status was written, or could not be. */
export interface Remaining extends Told {
  /** Finished Jobs to delete, oldest first. */
  readonly prune: readonly Job[];
  /** Whether the deletes may be left to the next pass. */
  readonly canPruneLater: boolean;
  /** For the next pass; `undefined` when there is nothing to remember. */
  readonly memory: Memory | undefined;
}

const NOTHING_LEFT = { ...NOTHING_TOLD, prune: [], canPruneLater: false };
/** More are deleted at once: while each pass of a busy controller has a status to write, none would be the next. */
const MAX_PRUNED_LATER = 5;

/** Only a stored status remembers what was reported, so events wait for it; and only with its proof may Jobs be deleted. */
export function afterStatusWrite(facts: Facts, settled: Settled, write: StatusWrite): Remaining {
  const { cronJob, runs } = facts;
  const { status, onceStored } = settled;
  switch (write.kind) {
    case 'Gone':
      return { ...NOTHING_LEFT, memory: undefined };
    case 'Stored': {
      const prune = jobsToPrune({ ...cronJob, status: write.status }, runs, status);
      const canPruneLater = write.isNew && prune.length > 0 && prune.length <= MAX_PRUNED_LATER;
      const finished = write.isNew ? finishedRuns(facts, settled.seen) : [];
      return { ...onceStored, finished, prune, canPruneLater, memory: undefined };
    }
    case 'Failed': {
      const prune = jobsToPrune({ ...cronJob, status: write.status }, runs, write.status);
      const memory = memoryOfUnstored(facts, settled, write.status);
      if (settled.unfinished.kind !== 'Record') return { ...NOTHING_LEFT, prune, memory };
      const { uid } = cronJob.metadata;
      return { ...NOTHING_LEFT, prune, memory: { ...NO_MEMORY, uid, ...memory, hasTriedToRecord: true } };
    }
    case 'Postponed':
      return { ...NOTHING_LEFT, memory: memoryOfUnstored(facts, settled, write.status) };
  }
}
