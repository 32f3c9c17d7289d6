/** Laws of a state without work before time advances. */
import { formatTime, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { slotJobName } from '../../../api/v1/job-names.ts';
import { clockMs, isRunOf, jobNameOfRun, MINUTE_MS, patienceMs, type State, waitsForRun } from '../state.ts';
import { unpausedFault } from './pause.ts';
import { recordedResults } from './results.ts';
import { unansweredFault } from './run-now.ts';
import { waitingFaults } from './starts.ts';
import { isSkip } from './status.ts';

export function quietFaults(state: State): readonly string[] {
  const { cronJob } = state;
  if (cronJob === undefined) return remainsFaults(state);
  if (cronJob.metadata.deletionTimestamp !== undefined) return endFaults(state, cronJob);
  return [
    ...slotFaults(state, cronJob),
    ...sinceFault(state, cronJob),
    ...unansweredFault(state, cronJob),
    ...unpausedFault(state, cronJob),
    ...waitingFaults(state, cronJob),
    ...endFaults(state, cronJob),
  ];
}

/** The process has no memory of a deleted CronJob. */
function remainsFaults({ memory }: State): readonly string[] {
  return memory === undefined ? [] : ['the CronJob is gone, and the process remembers it'];
}

/** Each slot ran, waits for a run, or has a recorded reason. */
function slotFaults(state: State, cronJob: CronJob): readonly string[] {
  const { jobs, creates } = state;
  const nowMs = clockMs(state);
  const { metadata, spec, status = {} } = cronJob;
  // Slots of a pause are recorded at its end.
  if (spec.suspend || status.paused) return [];
  const since = parseTime(status.effectiveSchedule?.since)?.getTime() ?? nowMs;
  const waits = waitsForRun(jobs, cronJob);
  const isExplained = (slot: Date) =>
    creates[`${metadata.uid}/${slotJobName(cronJob, slot)}`] !== undefined ||
    isSkip(status, slot) ||
    (waits && slot.getTime() > nowMs - patienceMs(cronJob));
  const lost = slotsBetween(since, nowMs).filter((slot) => !isExplained(slot));
  return lost.map((slot) => `${formatTime(slot)} neither ran nor has a recorded reason`);
}

/** Slots count from the last edit of the schedule, independent of when a pass saw it. */
function sinceFault({ left, scenario, editedMs }: State, { status }: CronJob): readonly string[] {
  const edited = formatTime(new Date(editedMs));
  const since = status?.effectiveSchedule?.since;
  const wasClockWrong = left.clocks < scenario.budget.clocks;
  return since === edited || wasClockWrong ? [] : [`slots count since ${since}, and the schedule is of ${edited}`];
}

function slotsBetween(afterMs: number, untilMs: number): readonly Date[] {
  const firstMs = afterMs - (afterMs % MINUTE_MS) + MINUTE_MS;
  const count = Math.max(0, Math.floor((untilMs - firstMs) / MINUTE_MS) + 1);
  return Array.from({ length: count }, (_, index) => new Date(firstMs + index * MINUTE_MS));
}

/** Each end of a run is recorded. */
function endFaults({ ends, unprovable }: State, cronJob: CronJob): readonly string[] {
  const results = recordedResults(cronJob.status);
  const isKnown = (runId: string) => [ends[runId], 'Unknown', 'Replaced'].includes(results[jobNameOfRun(runId)]);
  return Object.keys(ends)
    .filter((runId) => isRunOf(runId, cronJob) && !isKnown(runId) && !unprovable.includes(runId))
    .map((runId) => {
      const name = jobNameOfRun(runId);
      return `${name} ended (${ends[runId]}), and the status says ${results[name]}`;
    });
}
