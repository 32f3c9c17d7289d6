/** Laws of each stored status: it claims only what has happened. */
import { formatTime, parseTime } from '../../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../../api/v1/job-names.ts';
import { parseRecentSkip, type RecentSkip } from '../../../api/v1/recent-lines.ts';
import {
  belongsTo,
  getJobName,
  getSlot,
  type ModelState,
  newestClockMs,
  patienceMs,
  slotsBetween,
  startMs,
} from '../state.ts';
import { checkFailureCount } from './pause.ts';
import { parseResults } from './results.ts';
import { checkHandledValue } from './run-now.ts';

export function checkStatus(state: ModelState): readonly string[] {
  const { cronJob } = state;
  if (cronJob?.status === undefined) return [];
  return [
    ...checkTimes(state, cronJob),
    ...checkRuns(state, cronJob),
    ...checkHandledValue(state, cronJob),
    ...checkFailureCount(state, cronJob),
    ...checkSkips(state, cronJob, cronJob.status),
  ];
}

/** Names of the Jobs that were created for the CronJob. */
function listCreatedRuns(cronJob: CronJob, { createCounts }: ModelState): readonly string[] {
  return Object.keys(createCounts).filter((runId) => belongsTo(runId, cronJob));
}

function checkTimes(state: ModelState, cronJob: CronJob): readonly string[] {
  const { lastScheduleTime, handledThrough, effectiveSchedule } = cronJob.status ?? {};
  const slots = listCreatedRuns(cronJob, state).map((runId) => getSlot(runId)?.getTime());
  const claimed = parseTime(lastScheduleTime)?.getTime();
  // The API server's clock may be ahead of the manager's.
  const createdMs = parseTime(cronJob.metadata.creationTimestamp)?.getTime() ?? 0;
  const isUnfounded = claimed !== undefined && !slots.includes(claimed);
  const ahead = Object.entries({ handledThrough, lastScheduleTime, since: effectiveSchedule?.since }).filter(
    ([, time]) => (parseTime(time)?.getTime() ?? 0) > Math.max(newestClockMs(state), createdMs),
  );
  return [
    ...(isUnfounded ? [`lastScheduleTime is ${lastScheduleTime}, but no Job of that slot was created`] : []),
    ...ahead.map(([name, time]) => `${name} is in the future: ${time}`),
  ];
}

function checkRuns(
  { createCounts, runResults, untraceableRuns }: ModelState,
  { metadata, status = {} }: CronJob,
): readonly string[] {
  const { active = [] } = status;
  const results = parseResults(status);
  const wasCreated = (name: string) => createCounts[`${metadata.uid}/${name}`] !== undefined;
  const recorded = Object.entries(results).flatMap(([name, result]) => {
    if (!wasCreated(name)) return [`${name} is a recent run, but was never created`];
    const end = runResults[`${metadata.uid}/${name}`];
    const isFinal = ['Succeeded', 'Failed'].includes(result) && !untraceableRuns.includes(`${metadata.uid}/${name}`);
    return isFinal && end !== result ? [`${name} is recorded as ${result}, but is ${end ?? 'active'}`] : [];
  });
  // A run that runs again may have two Jobs, and the cache has the old one.
  const hasRecordedEnd = (name: string) =>
    ['Succeeded', 'Failed'].includes(results[name] ?? '') && !untraceableRuns.includes(`${metadata.uid}/${name}`);
  return [
    ...active.flatMap(({ name = '' }) => (wasCreated(name) ? [] : [`${name} is active, but was never created`])),
    ...active.flatMap(({ name = '' }) =>
      hasRecordedEnd(name) ? [`${name} is active, but its result is recorded`] : [],
    ),
    ...recorded,
  ];
}

function checkSkips(state: ModelState, cronJob: CronJob, status: CronJobStatus): readonly string[] {
  const { untraceableRuns, strayRuns } = state;
  const ownRuns = listCreatedRuns(cronJob, state).filter(
    (runId) => !untraceableRuns.includes(runId) && !strayRuns.includes(runId),
  );
  const skipped = ownRuns.filter((runId) => isSkipped(status, getSlot(runId)));
  const early = parseSkips(status).filter(({ lastTime, reason }) => {
    const untilMs = startMs(cronJob, lastTime) + patienceMs(cronJob, lastTime);
    return WAITING_REASONS.includes(reason) && untilMs > newestClockMs(state);
  });
  return [
    ...skipped.map((runId) => `${getJobName(runId)} ran, but its slot is recorded as a skip`),
    ...early.map(
      ({ lastTime, reason }) => `${formatTime(lastTime)} is recorded as a skip (${reason}), but could still start`,
    ),
  ];
}

/** Reasons for which a slot waits, until its deadline passes or the next slot comes. */
const WAITING_REASONS = [
  'ConcurrencyPolicyForbid',
  'MaxConcurrentRuns',
  'FailedCreate',
  'Superseded',
  'DeadlineExceeded',
];

function parseSkips({ recentSkips = [] }: CronJobStatus): readonly RecentSkip[] {
  return recentSkips.map(parseRecentSkip).filter((skip) => skip !== undefined);
}

/** Runs of the slots that the status records as skipped. */
export function listSkippedRuns(cronJob: CronJob): readonly string[] {
  return parseSkips(cronJob.status ?? {})
    .flatMap(({ firstTime, lastTime }) => slotsBetween(firstTime.getTime() - 1, lastTime.getTime()))
    .map((slot) => `${cronJob.metadata.uid}/${toSlotJobName(cronJob, slot)}`);
}

export function isSkipped(status: CronJobStatus, slot: Date | undefined): boolean {
  if (slot === undefined || status.recentSkips === undefined) return false;
  return parseSkips(status).some(({ firstTime, lastTime }) => slot >= firstTime && slot <= lastTime);
}
