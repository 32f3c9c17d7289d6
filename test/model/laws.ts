/** What must hold in every state. Each law returns what is broken, in a sentence. */
import type { Job } from '../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../api/time.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { slotJobName } from '../../api/v1/job-names.ts';
import { parseRecentRun, parseRecentSkip } from '../../api/v1/recent-lines.ts';
import { isAccountedFor, isFinished, MINUTE_MS, type State, slotInName } from './state.ts';

/** A slot runs at most once, unless its only run was deleted before anything could say that it existed. */
export function secondRunFault({ creates, unprovable }: State, name: string): readonly string[] {
  if ((creates[name] ?? 0) === 0 || unprovable.includes(name)) return [];
  return [`${name} runs a second time`];
}

/** The manager deletes no finished Job whose result the API server does not have. */
export function deletionFault(state: State, job: Job): readonly string[] {
  const { name, uid } = job.metadata;
  // Replace may delete a Job that the cache still shows as active.
  const cached = state.cachedJobs.find(({ metadata }) => metadata.uid === uid);
  if (cached === undefined || !isFinished(cached)) return [];
  const result = recordedResults(state.cronJob.status)[name];
  return result === state.ends[name] ? [] : [`${name} is deleted, and its result ${state.ends[name]} is not stored`];
}

/** A stored status claims nothing that has not happened. */
export function statusFaults(state: State): readonly string[] {
  const { cronJob, creates, nowMs } = state;
  const { lastScheduleTime, handledThrough, active = [] } = cronJob.status ?? {};
  const slots = Object.keys(creates).map(slotInName).map(formatTime);
  const isClaimed = lastScheduleTime !== undefined && !slots.includes(lastScheduleTime);
  const isAhead = (parseTime(handledThrough)?.getTime() ?? 0) > nowMs;
  return [
    ...(isClaimed ? [`lastScheduleTime is ${lastScheduleTime}, and no Job of that slot was created`] : []),
    ...(isAhead ? [`handledThrough is ahead: ${handledThrough}`] : []),
    ...active.flatMap(({ name = '' }) => (creates[name] ? [] : [`${name} is active, and was never created`])),
    ...runFaults(state),
    ...skipFaults(state),
  ];
}

function runFaults({ cronJob, creates, ends }: State): readonly string[] {
  return Object.entries(recordedResults(cronJob.status)).flatMap(([name, result]) => {
    if (!creates[name]) return [`${name} is a recent run, and was never created`];
    const isEnd = result === 'Succeeded' || result === 'Failed';
    return isEnd && ends[name] !== result ? [`${name} is recorded as ${result}, and is ${ends[name] ?? 'active'}`] : [];
  });
}

function skipFaults({ cronJob: { status = {} }, creates, unprovable }: State): readonly string[] {
  const ran = Object.keys(creates).filter((name) => !unprovable.includes(name));
  return ran
    .filter((name) => isSkip(status, slotInName(name)))
    .map((name) => `${name} ran, and its slot is recorded as a skip`);
}

/** When nothing is left to do, each slot ran, waits for a run, or has a recorded reason; and each end of a run is recorded. */
export function quietFaults(state: State): readonly string[] {
  const { cronJob, creates, nowMs, jobs } = state;
  const { spec, status = {} } = cronJob;
  if (spec.suspend) return endFaults(state);
  const since = parseTime(status.effectiveSchedule?.since)?.getTime() ?? nowMs;
  const waits = spec.concurrencyPolicy === 'Forbid' && jobs.some((job) => !isFinished(job));
  const isExplained = (slot: Date) =>
    creates[slotJobName(cronJob, slot)] !== undefined ||
    isSkip(status, slot) ||
    (waits && slot.getTime() > nowMs - MINUTE_MS);
  const lost = slotsBetween(since, nowMs).filter((slot) => !isExplained(slot));
  return [...lost.map((slot) => `${formatTime(slot)} neither ran nor has a recorded reason`), ...endFaults(state)];
}

function slotsBetween(afterMs: number, untilMs: number): readonly Date[] {
  const firstMs = afterMs - (afterMs % MINUTE_MS) + MINUTE_MS;
  const count = Math.max(0, Math.floor((untilMs - firstMs) / MINUTE_MS) + 1);
  return Array.from({ length: count }, (_, index) => new Date(firstMs + index * MINUTE_MS));
}

function endFaults({ cronJob, ends, unprovable }: State): readonly string[] {
  const results = recordedResults(cronJob.status);
  const isKnown = (name: string) => [ends[name], 'Unknown', 'Replaced'].includes(results[name]);
  return Object.keys(ends)
    .filter((name) => !isKnown(name) && !unprovable.includes(name))
    .map((name) => `${name} ended (${ends[name]}), and the status says ${results[name]}`);
}

/** Of Jobs that are gone, those whose slots nothing accounts for: a process that starts now cannot know of them. */
export function unprovableAfterCrash(state: State): readonly string[] {
  const present = new Set(state.jobs.map(({ metadata }) => metadata.name));
  const gone = Object.keys(state.creates).filter((name) => !present.has(name));
  return gone.filter(
    (name) => !isAccountedFor(state, slotInName(name)) || recordedResults(state.cronJob.status)[name] === undefined,
  );
}

function isSkip({ recentSkips = [] }: CronJobStatus, slot: Date): boolean {
  return recentSkips.some((line) => {
    const skip = parseRecentSkip(line);
    return skip !== undefined && slot >= skip.firstTime && slot <= (skip.lastTime ?? skip.firstTime);
  });
}

function recordedResults({ recentRuns = [] }: CronJobStatus = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    recentRuns.map(parseRecentRun).flatMap((run) => (run ? [[run.jobName, run.result] as const] : [])),
  );
}
