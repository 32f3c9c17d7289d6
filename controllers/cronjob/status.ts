/** Computes the status that a pass stores. */
import type { Job } from '../../api/kubernetes.ts';
import { formatTime, isAfter, latest, parseTime } from '../../api/time.ts';
import { toStoredValue } from '../../api/v1/annotation-values.ts';
import { catchUpLimit } from '../../api/v1/concurrency.ts';
import type { CronJobStatus, FailedStart, LastRun, ObjectReference } from '../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../api/v1/job-names.ts';
import { formatRecentRun, formatRecentSkip } from '../../api/v1/recent-lines.ts';
import { getResumeValue } from '../../api/v1/suspension.ts';
import { conditionsAfter, hasStartedSince, successExpectedSince } from './conditions.ts';
import { type Decision, type StartResult, toFailedStart } from './decide.ts';
import { reportedAfter } from './events.ts';
import { assessPause, type Facts, findLastScheduled } from './facts.ts';
import { newestFirst, recentRunsAfter } from './history.ts';
import { findLastSuccess, type Run } from './job.ts';
import { computeNewSkips, type NewSkip, type Pass, recentSkipsAfter } from './slot-outcome.ts';

interface PassStatus {
  readonly status: CronJobStatus;
  /** The slots without a run that no earlier status has recorded. */
  readonly skips: readonly NewSkip[];
}

export function statusAfter(pass: Pass): PassStatus {
  const fields = computeFields(pass);
  const skips = computeNewSkips(pass, fields);
  const recentSkips = formatLines(recentSkipsAfter(pass, skips), formatRecentSkip, pass.facts.status.recentSkips);
  const failedStart = failedStartAfter(pass, fields);
  return { status: withConditions(withoutUndefined({ ...fields, recentSkips, failedStart }), pass), skips };
}

function withConditions(fields: CronJobStatus, pass: Pass): CronJobStatus {
  const status = { ...fields, conditions: conditionsAfter(pass, fields) };
  const reported = reportedAfter(pass, status);
  return reported.length === 0 ? status : { ...status, reported };
}

/** Computes all fields except `recentSkips`, `failedStart`, `conditions` and `reported`. */
function computeFields({ facts, decision, results, runs: allRuns, slots }: Pass): CronJobStatus {
  const { started, replaced, gone = [] } = results;
  const { cronJob, status: before, now, effectiveSchedule, pause } = facts;
  const existingRuns = allRuns.filter(({ job }) => !replaced.includes(job) && !gone.includes(job));
  const active = activeReferences(existingRuns);
  const lastSuccess = findLastSuccess(before, allRuns);
  const failureTimes = allRuns.map(({ state, finishedAt }) => (state === 'Failed' ? finishedAt : undefined));
  const { failures, paused } = allRuns === facts.runs ? pause : assessPause(facts, allRuns, now);
  const { reported: _, ...kept } = before;
  return withoutUndefined({
    ...kept,
    active: active.length === 0 ? undefined : active,
    activeCount: active.length,
    lastScheduleTime: formatOptionalTime(
      latest(findLastScheduled(facts, allRuns, now), startedSlot(decision, started)),
    ),
    lastSuccessfulTime: formatOptionalTime(lastSuccess),
    lastFailureTime: formatOptionalTime(latest(parseTime(before.lastFailureTime), ...failureTimes)),
    nextScheduleTime: formatOptionalTime(facts.next),
    nextStartTime:
      facts.next && cronJob.spec.jitterSeconds !== undefined ? formatTime(facts.parsed.startOf(facts.next)) : undefined,
    lastRun: lastRunAfter(facts, existingRuns, started),
    effectiveSchedule: { ...effectiveSchedule, since: formatTime(effectiveSchedule.since) },
    recentRuns: formatLines(recentRunsAfter(facts, allRuns, replaced), formatRecentRun, before.recentRuns),
    consecutiveFailures: failures,
    paused,
    lastResume: getResumeValue(cronJob) ?? before.lastResume,
    successExpectedSince: formatOptionalTime(successExpectedSince(facts, lastSuccess)),
    suspendedUntil: facts.isSuspended && !cronJob.spec.suspend ? cronJob.spec.suspendUntil : undefined,
    handledThrough: formatOptionalTime(
      latest(parseTime(before.handledThrough), pause.resumedAt, facts.due.suspended?.newest, slots.handledThrough),
    ),
    lastManualRun: handledRunNow(facts, decision, started) ?? before.lastManualRun,
    observedGeneration: cronJob.metadata.generation,
  });
}

/** Keeps the stored lines if the list is unchanged. */
function formatLines<T>(
  entries: readonly T[] | undefined,
  format: (entry: T) => string,
  stored: readonly string[] | undefined,
): readonly string[] | undefined {
  if (entries === undefined) return stored;
  return entries.length === 0 ? undefined : entries.map(format);
}

function activeReferences(existingRuns: readonly Run[]): readonly ObjectReference[] {
  const active = existingRuns.filter(({ state }) => state === 'Active').map(({ job }) => toReference(job));
  return active.toSorted((left, right) => (String(left.name) < String(right.name) ? -1 : 1));
}

/** The failed start of an earlier pass stays until a run starts. */
function failedStartAfter({ facts, decision, results }: Pass, fields: CronJobStatus): FailedStart | undefined {
  const { cronJob, status, now } = facts;
  const { failedStart: before } = status;
  const failedStart = toFailedStart(results.started);
  if (failedStart === undefined) return hasStartedSince(status, fields) ? undefined : before;
  if (catchUpLimit(cronJob.spec) === undefined) return failedStart;
  // A refused manual run must not restart the hour after which a refused slot gives way to the slots after it.
  if (decision.kind === 'RunNow' && before?.since !== undefined && isSlotDue(before, facts)) return before;
  const since = before?.jobName === failedStart.jobName ? before.since : undefined;
  return { ...failedStart, since: since ?? formatTime(now) };
}

function isSlotDue({ jobName }: FailedStart, { cronJob, due: { slot } }: Facts): boolean {
  return slot !== undefined && jobName === toSlotJobName(cronJob, slot);
}

/** Only a Job of this CronJob proves that the run of the slot was started. */
function startedSlot(decision: Decision, started: StartResult): Date | undefined {
  const isOwnJob = started.kind === 'Created' || started.kind === 'Adopted';
  return isOwnJob && decision.kind === 'Run' ? decision.slot : undefined;
}

/** Returns the value of the run-now annotation if it is handled after this pass. */
function handledRunNow({ runNow }: Facts, decision: Decision, started: StartResult): string | undefined {
  if (runNow.kind === 'Handled') return toStoredValue(runNow.value);
  const isHandled = started.kind === 'Created' || started.kind === 'Adopted' || started.kind === 'Foreign';
  return decision.kind === 'RunNow' && isHandled ? toStoredValue(decision.value) : undefined;
}

/** Returns the run that was started last. If the Job of this run was deleted, the stored result stays. */
function lastRunAfter(
  { status: { lastRun: before } }: Facts,
  runs: readonly Run[],
  started: StartResult,
): LastRun | undefined {
  const newest = findNewest(runs);
  const isNew = newest !== undefined && 'job' in started && newest.job.metadata.uid === started.job.metadata.uid;
  if (newest !== undefined && (isNew || !isNewer(before, newest, runs))) return toLastRun(newest);
  if (before?.result !== 'Running') return before;
  return { ...before, result: 'Unknown', reason: 'JobDeleted' };
}

function findNewest(runs: readonly Run[]): Run | undefined {
  const toRunStart = ({ job, createdAt: createdTime, slot: scheduledTime }: Run) => {
    return { jobName: job.metadata.name, createdTime, scheduledTime };
  };
  const [first, ...others] = runs;
  return (
    first &&
    others.reduce((newest, run) => (newestFirst(toRunStart(newest), toRunStart(run)) < 0 ? newest : run), first)
  );
}

/** Whether the recorded run was started after every existing run. */
function isNewer(recorded: LastRun | undefined, newest: Run, runs: readonly Run[]): boolean {
  if (recorded === undefined || runs.some(({ job }) => job.metadata.name === recorded.jobName)) return false;
  const slot = parseTime(recorded.scheduledTime);
  // Runs start in the order of their slots. Times of Jobs come from the clock of the API server, so they are not compared with
  // slots.
  if (slot !== undefined && newest.slot !== undefined) return isAfter(slot, newest.slot);
  const startedAt = parseTime(recorded.startTime) ?? slot;
  return startedAt === undefined || isAfter(startedAt, newest.createdAt);
}

function toLastRun({ job, slot, state, startedAt, finishedAt, failureReason }: Run): LastRun {
  return withoutUndefined({
    jobName: job.metadata.name,
    scheduledTime: formatOptionalTime(slot),
    startTime: formatOptionalTime(startedAt),
    completionTime: formatOptionalTime(finishedAt),
    result: state === 'Active' ? ('Running' as const) : state,
    reason: failureReason,
  });
}

function toReference({ apiVersion, kind, metadata: { namespace, name, uid } }: Job): ObjectReference {
  return { apiVersion, kind, namespace, name, uid };
}

function formatOptionalTime(time: Date | undefined): string | undefined {
  return time && formatTime(time);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** JSON has no `undefined`, so a field with the value `undefined` would always differ from the stored status. */
function withoutUndefined<T extends object>(fields: T): Defined<T> {
  const defined: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value: unknown = fields[name as keyof T];
    if (value !== undefined) defined[name] = value;
  }
  return defined as Defined<T>; // every remaining field has a value
}
