/** The last step of the core: from facts, decision and results, the one outcome of the pass. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type ActionResults, runsSeen } from './action-results.ts';
import type { Decision } from './decide.ts';
import {
  eventsOfActions,
  eventsOfMissedSlots,
  eventsOfTransitions,
  type FinishedRun,
  NO_NOTIFICATIONS,
  type Notifications,
} from './events.ts';
import type { Facts } from './facts.ts';
import { jobsToPrune } from './history.ts';
import { type Run, startedAt } from './job.ts';
import { requeueAfterMs, type Unfinished, unfinishedAfter, wakeUpAfter } from './next-pass.ts';
import type { StatusWrite } from './pending.ts';
import { isResultNew } from './recent-runs.ts';
import { slotOutcome, stoppedSlots } from './slot-outcome.ts';
import { statusAfter } from './status.ts';

/** What is left to do after the decision was carried out. */
export interface Outcome {
  readonly status: CronJobStatus;
  /** Whether the status may be left to the next pass. Not that of a failed start: that pass would try again. */
  readonly canWait: boolean;
  /** What was done, and what the Job of the run proves: for at once, whatever becomes of the status. */
  readonly done: Notifications;
  /** What was seen for the first time: for once a status is stored that remembers it. */
  readonly seen: Notifications;
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  readonly unfinished: Unfinished;
}

/** Computes the outcome. */
export function conclude(facts: Facts, decision: Decision, results: ActionResults): Outcome {
  const { started } = results;
  const slots = slotOutcome(facts, decision, started);
  const status = statusAfter(facts, decision, { results, slots });
  const wakeAt = wakeUpAfter(facts, { started, slots, status });
  const ofSlots = { ...NO_NOTIFICATIONS, events: eventsOfMissedSlots(slots), slotCounts: slots.counts };
  const [now, later] = 'job' in started ? [ofSlots, NO_NOTIFICATIONS] : [NO_NOTIFICATIONS, ofSlots];
  return {
    status,
    canWait: 'job' in started || (started.kind === 'None' && decision.kind !== 'RecordFirst'),
    done: { ...now, events: [...eventsOfActions(results), ...now.events] },
    seen: {
      events: [...eventsOfTransitions(facts, decision, { started, status }), ...later.events],
      slotCounts: [...stoppedSlots(facts), ...later.slotCounts],
      finished: finishedRuns(facts, runsSeen(facts.runs, started)),
    },
    ...requeueAfterMs(wakeAt, facts.now),
    unfinished: unfinishedAfter(facts, decision, started),
  };
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

/** Finished Jobs to delete. */
export interface Pruning {
  /** Oldest first. */
  readonly jobs: readonly Job[];
  /** Whether the deletes may be left to the next pass. */
  readonly canWait: boolean;
}

/** More are deleted at once: while each pass of a busy controller has a status to write, none would be the next. */
const MAX_PRUNED_LATER = 5;

/** Only with the proof of a stored status may Jobs be deleted. */
export function pruningAfter({ cronJob, stored, runs }: Facts, status: CronJobStatus, write: StatusWrite): Pruning {
  switch (write.kind) {
    case 'Gone':
    case 'Postponed':
      return { jobs: [], canWait: false };
    case 'Failed':
      return { jobs: jobsToPrune({ ...cronJob, status: stored }, runs, stored), canWait: false };
    case 'Stored': {
      const jobs = jobsToPrune({ ...cronJob, status: write.status }, runs, status);
      return { jobs, canWait: write.isNew && jobs.length > 0 && jobs.length <= MAX_PRUNED_LATER };
    }
  }
}
