/** Laws of each stored status: it claims only what has happened. */
import { formatTime, parseTime } from '../../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { parseRecentSkip, type RecentSkip } from '../../../api/v1/recent-lines.ts';
import { isRunOf, jobNameOfRun, newestClockMs, patienceMs, type State, slotOfRun } from '../state.ts';
import { countFaults } from './pause.ts';
import { recordedResults } from './results.ts';
import { handledFault } from './run-now.ts';

export function statusFaults(state: State): readonly string[] {
  const { cronJob } = state;
  if (cronJob?.status === undefined) return [];
  return [
    ...timeFaults(state, cronJob),
    ...runFaults(state, cronJob),
    ...handledFault(state, cronJob),
    ...countFaults(state, cronJob),
    ...skipFaults(state, cronJob, cronJob.status),
  ];
}

/** Names of the Jobs that were created for the CronJob. */
function createdFor(cronJob: CronJob, { creates }: State): readonly string[] {
  return Object.keys(creates).filter((runId) => isRunOf(runId, cronJob));
}

function timeFaults(state: State, cronJob: CronJob): readonly string[] {
  const { lastScheduleTime, handledThrough, effectiveSchedule } = cronJob.status ?? {};
  const slots = createdFor(cronJob, state).map((runId) => slotOfRun(runId)?.getTime());
  const claimed = parseTime(lastScheduleTime)?.getTime();
  // The API server's clock may be ahead of the manager's.
  const createdMs = parseTime(cronJob.metadata.creationTimestamp)?.getTime() ?? 0;
  const isClaimed = claimed !== undefined && !slots.includes(claimed);
  const ahead = Object.entries({ handledThrough, lastScheduleTime, since: effectiveSchedule?.since }).filter(
    ([, time]) => (parseTime(time)?.getTime() ?? 0) > Math.max(newestClockMs(state), createdMs),
  );
  return [
    ...(isClaimed ? [`lastScheduleTime is ${lastScheduleTime}, and no Job of that slot was created`] : []),
    ...ahead.map(([name, time]) => `${name} is ahead: ${time}`),
  ];
}

function runFaults({ creates, ends, unprovable }: State, { metadata, status = {} }: CronJob): readonly string[] {
  const { active = [] } = status;
  const results = recordedResults(status);
  const wasCreated = (name: string) => creates[`${metadata.uid}/${name}`] !== undefined;
  const recorded = Object.entries(results).flatMap(([name, result]) => {
    if (!wasCreated(name)) return [`${name} is a recent run, and was never created`];
    const end = ends[`${metadata.uid}/${name}`];
    const isEnd = result === 'Succeeded' || result === 'Failed';
    return isEnd && end !== result ? [`${name} is recorded as ${result}, and is ${end ?? 'active'}`] : [];
  });
  // A run that runs again may have two Jobs, and the cache has the old one.
  const isOver = (name: string) =>
    ['Succeeded', 'Failed'].includes(results[name] ?? '') && !unprovable.includes(`${metadata.uid}/${name}`);
  return [
    ...active.flatMap(({ name = '' }) => (wasCreated(name) ? [] : [`${name} is active, and was never created`])),
    ...active.flatMap(({ name = '' }) => (isOver(name) ? [`${name} is active, and its result is recorded`] : [])),
    ...recorded,
  ];
}

function skipFaults(state: State, cronJob: CronJob, status: CronJobStatus): readonly string[] {
  const { unprovable, strays } = state;
  const ran = createdFor(cronJob, state).filter((runId) => !unprovable.includes(runId) && !strays.includes(runId));
  const skipped = ran.filter((runId) => isSkip(status, slotOfRun(runId)));
  const early = skipsOf(status).filter(({ lastTime, reason }) => {
    const untilMs = lastTime.getTime() + patienceMs(cronJob);
    return WAITING_REASONS.includes(reason) && untilMs > newestClockMs(state);
  });
  return [
    ...skipped.map((runId) => `${jobNameOfRun(runId)} ran, and its slot is recorded as a skip`),
    ...early.map(
      ({ lastTime, reason }) => `${formatTime(lastTime)} is recorded as a skip (${reason}), and could still start`,
    ),
  ];
}

/** Reasons for which a slot waits, until its deadline passes or the next slot comes. */
const WAITING_REASONS = ['ConcurrencyPolicyForbid', 'FailedCreate', 'Superseded', 'DeadlineExceeded'];

function skipsOf({ recentSkips = [] }: CronJobStatus): readonly RecentSkip[] {
  return recentSkips.map(parseRecentSkip).filter((skip) => skip !== undefined);
}

export function isSkip(status: CronJobStatus, slot: Date | undefined): boolean {
  if (slot === undefined || status.recentSkips === undefined) return false;
  return skipsOf(status).some(({ firstTime, lastTime }) => slot >= firstTime && slot <= lastTime);
}
