/** Laws of a state without work before time advances. */
import { formatTime, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../../api/v1/job-names.ts';
import { isRemembered } from '../process-memory.ts';
import { CRON_JOB_KEY } from '../reconcile.ts';
import {
  belongsTo,
  clockMs,
  getJobName,
  isBlocked,
  isExcluded,
  isInWindow,
  isRequestedRun,
  type ModelState,
  patienceMs,
  slotsBetween,
  startMs,
} from '../state.ts';
import { checkMissingPause } from './pause.ts';
import { parseResults } from './results.ts';
import { checkMissingManualRun } from './run-now.ts';
import { checkWaitingJobs } from './starts.ts';
import { isSkipped } from './status.ts';

export function checkQuiet(state: ModelState): readonly string[] {
  const { cronJob } = state;
  if (cronJob === undefined) return checkRemains(state);
  if (cronJob.metadata.deletionTimestamp !== undefined) return checkRecordedResults(state, cronJob);
  return [
    ...checkSlots(state, cronJob),
    ...checkSince(state, cronJob),
    ...checkMissingManualRun(state, cronJob),
    ...checkMissingPause(state, cronJob),
    ...checkWaitingJobs(state, cronJob),
    ...checkRecordedResults(state, cronJob),
  ];
}

/** The process has no memory of a deleted CronJob. */
function checkRemains({ memory }: ModelState): readonly string[] {
  return !isRemembered(CRON_JOB_KEY, memory) ? [] : ['the CronJob is gone, and the process remembers it'];
}

/** Each slot ran, waits for a run, or has a recorded reason. */
function checkSlots(state: ModelState, cronJob: CronJob): readonly string[] {
  const { jobs, createCounts } = state;
  const nowMs = clockMs(state);
  const { metadata, spec, status = {} } = cronJob;
  // Slots of a pause are recorded at its end.
  if (spec.suspend || status.paused) return [];
  const since = parseTime(status.effectiveSchedule?.since)?.getTime() ?? nowMs;
  const waits = isBlocked(jobs, cronJob);
  const isExplained = (slot: Date) =>
    createCounts[`${metadata.uid}/${toSlotJobName(cronJob, slot)}`] !== undefined ||
    isSkipped(status, slot) ||
    (waits && (startMs(cronJob, slot) > nowMs - patienceMs(cronJob, slot) || isExcluded(cronJob, slot)));
  const isDue = (slot: Date) => isInWindow(cronJob, slot) && startMs(cronJob, slot) <= nowMs;
  const missing = slotsBetween(since, nowMs).filter((slot) => isDue(slot) && !isExplained(slot));
  return missing.map((slot) => `${formatTime(slot)} has no run and no recorded reason`);
}

/** Slots count from the last edit of the schedule, independent of when a reconcile saw it. */
function checkSince({ remaining, scenario, editedMs }: ModelState, { status }: CronJob): readonly string[] {
  const edited = formatTime(new Date(editedMs));
  const since = status?.effectiveSchedule?.since;
  const wasClockWrong = remaining.clocks < scenario.budget.clocks;
  return since === edited || wasClockWrong ? [] : [`slots count since ${since}, but the last edit was at ${edited}`];
}

/** Each end of a run is recorded. */
function checkRecordedResults(
  { runResults, untraceableRuns, request }: ModelState,
  cronJob: CronJob,
): readonly string[] {
  const results = parseResults(cronJob.status);
  const isRecorded = (runId: string) => [runResults[runId], 'Unknown', 'Replaced'].includes(results[getJobName(runId)]);
  return Object.keys(runResults)
    .filter((runId) => belongsTo(runId, cronJob) && !isRecorded(runId))
    .filter((runId) => !(isRequestedRun(runId) ? request.unrecordedRuns : untraceableRuns).includes(runId))
    .map((runId) => {
      const name = getJobName(runId);
      return `${name} ended (${runResults[runId]}), but the status says ${results[name]}`;
    });
}
