/** Computes the status that a reconcile stores. */
import type { Job } from '../../api/kubernetes.ts';
import { findLatest, formatTime, isAfter, parseTime } from '../../api/time.ts';
import { toStoredValue } from '../../api/v1/annotation-values.ts';
import { getCatchUpLimit } from '../../api/v1/concurrency.ts';
import type { CronJobStatus, FailedStart, LastRun, ObjectReference } from '../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../api/v1/job-names.ts';
import { formatRecentRun, formatRecentSkip } from '../../api/v1/recent-lines.ts';
import { getResumeValue } from '../../api/v1/suspension.ts';
import { computeConditions, computeSuccessExpectedSince, hasStartedSince } from './conditions.ts';
import { type Decision, type StartResult, toFailedStart } from './decide.ts';
import { computeReportedKeys } from './events.ts';
import { assessPause, type Facts, findLastScheduledSlot } from './facts.ts';
import { compareNewestFirst, computeRecentRuns } from './history.ts';
import { findLastSuccess, type Run } from './job.ts';
import { computeNewSkips, computeRecentSkips, type NewSkip, type OutcomeInput } from './slot-outcome.ts';

interface ComputedStatus {
  readonly status: CronJobStatus;
  /** The slots that have no run, and that no earlier status has recorded. */
  readonly skips: readonly NewSkip[];
}

export function computeStatus(input: OutcomeInput): ComputedStatus {
  const fields = computeStatusFields(input);
  const skips = computeNewSkips(input, fields);
  const recentSkips = formatLines(computeRecentSkips(input, skips), formatRecentSkip, input.facts.status.recentSkips);
  const failedStart = computeFailedStart(input, fields);
  return { status: withConditions(withoutUndefined({ ...fields, recentSkips, failedStart }), input), skips };
}

function withConditions(fields: CronJobStatus, input: OutcomeInput): CronJobStatus {
  const status = { ...fields, conditions: computeConditions(input, fields) };
  const reported = computeReportedKeys(input, status);
  return reported.length === 0 ? status : { ...status, reported };
}

/** Computes all fields except `recentSkips`, `failedStart`, `conditions` and `reported`. */
function computeStatusFields({ facts, decision, results, runs: allRuns, slots }: OutcomeInput): CronJobStatus {
  const { started, replaced, gone = [] } = results;
  const { cronJob, status: earlierStatus, now, effectiveSchedule, pause } = facts;
  const existingRuns = allRuns.filter(({ job }) => !replaced.includes(job) && !gone.includes(job));
  const activeReferences = createActiveReferences(existingRuns);
  const lastSuccess = findLastSuccess(earlierStatus, allRuns);
  const failureTimes = allRuns.map(({ state, finishedAt }) => (state === 'Failed' ? finishedAt : undefined));
  const { failures, paused } = allRuns === facts.runs ? pause : assessPause(facts, allRuns, now);
  const { reported: _, ...otherFields } = earlierStatus;
  return withoutUndefined({
    ...otherFields,
    active: activeReferences.length === 0 ? undefined : activeReferences,
    activeCount: activeReferences.length,
    lastScheduleTime: formatOptionalTime(
      findLatest(findLastScheduledSlot(facts, allRuns, now), findStartedSlot(decision, started)),
    ),
    lastSuccessfulTime: formatOptionalTime(lastSuccess),
    lastFailureTime: formatOptionalTime(findLatest(parseTime(earlierStatus.lastFailureTime), ...failureTimes)),
    nextScheduleTime: formatOptionalTime(facts.next),
    nextStartTime:
      facts.next && cronJob.spec.jitterSeconds !== undefined ? formatTime(facts.parsed.startOf(facts.next)) : undefined,
    lastRun: computeLastRun(facts, existingRuns, started),
    effectiveSchedule: { ...effectiveSchedule, since: formatTime(effectiveSchedule.since) },
    recentRuns: formatLines(computeRecentRuns(facts, allRuns, replaced), formatRecentRun, earlierStatus.recentRuns),
    consecutiveFailures: failures,
    paused,
    lastResume: getResumeValue(cronJob) ?? earlierStatus.lastResume,
    successExpectedSince: formatOptionalTime(computeSuccessExpectedSince(facts, lastSuccess)),
    suspendedUntil: facts.isSuspended && !cronJob.spec.suspend ? cronJob.spec.suspendUntil : undefined,
    handledThrough: formatOptionalTime(
      findLatest(
        parseTime(earlierStatus.handledThrough),
        pause.resumedAt,
        facts.due.suspended?.newest,
        slots.handledThrough,
      ),
    ),
    lastManualRun: findHandledRunNow(facts, decision, started) ?? earlierStatus.lastManualRun,
    observedGeneration: cronJob.metadata.generation,
  });
}

/** Keeps the stored lines if the list is unchanged. */
function formatLines<T>(
  entries: readonly T[] | undefined,
  format: (entry: T) => string,
  storedLines: readonly string[] | undefined,
): readonly string[] | undefined {
  if (entries === undefined) return storedLines;
  return entries.length === 0 ? undefined : entries.map(format);
}

function createActiveReferences(existingRuns: readonly Run[]): readonly ObjectReference[] {
  const activeReferences = existingRuns.filter(({ state }) => state === 'Active').map(({ job }) => toReference(job));
  return activeReferences.toSorted((left, right) => (String(left.name) < String(right.name) ? -1 : 1));
}

/** The failed start of an earlier reconcile stays in the status until a run starts. */
function computeFailedStart(
  { facts, decision, results }: OutcomeInput,
  fields: CronJobStatus,
): FailedStart | undefined {
  const { cronJob, status, now } = facts;
  const { failedStart: earlierFailedStart } = status;
  const failedStart = toFailedStart(results.started);
  if (failedStart === undefined) return hasStartedSince(status, fields) ? undefined : earlierFailedStart;
  if (getCatchUpLimit(cronJob.spec) === undefined) return failedStart;
  // If the API server refuses the run of a slot for an hour, the slot is skipped. A refused manual run must not restart
  // this hour.
  if (decision.kind === 'RunNow' && earlierFailedStart?.since !== undefined && isSlotDue(earlierFailedStart, facts))
    return earlierFailedStart;
  const since = earlierFailedStart?.jobName === failedStart.jobName ? earlierFailedStart.since : undefined;
  return { ...failedStart, since: since ?? formatTime(now) };
}

function isSlotDue({ jobName }: FailedStart, { cronJob, due: { slot } }: Facts): boolean {
  return slot !== undefined && jobName === toSlotJobName(cronJob, slot);
}

/** Only a Job of this CronJob proves that the run of the slot was started. */
function findStartedSlot(decision: Decision, startResult: StartResult): Date | undefined {
  const isOwnJob = startResult.kind === 'Created' || startResult.kind === 'Adopted';
  return isOwnJob && decision.kind === 'Run' ? decision.slot : undefined;
}

/** Returns the value of the run-now annotation if it is handled after this reconcile. */
function findHandledRunNow({ runNow }: Facts, decision: Decision, startResult: StartResult): string | undefined {
  if (runNow.kind === 'Handled') return toStoredValue(runNow.value);
  const isHandled = startResult.kind === 'Created' || startResult.kind === 'Adopted' || startResult.kind === 'Foreign';
  return decision.kind === 'RunNow' && isHandled ? toStoredValue(decision.value) : undefined;
}

/** Returns the run that was started last. If the Job of this run was deleted, the stored result stays. */
function computeLastRun(
  { status: { lastRun: earlierLastRun } }: Facts,
  runs: readonly Run[],
  startResult: StartResult,
): LastRun | undefined {
  const newest = findNewestRun(runs);
  const isNew =
    newest !== undefined && 'job' in startResult && newest.job.metadata.uid === startResult.job.metadata.uid;
  if (newest !== undefined && (isNew || !isNewerThanRuns(earlierLastRun, newest, runs))) return toLastRun(newest);
  if (earlierLastRun?.result !== 'Running') return earlierLastRun;
  return { ...earlierLastRun, result: 'Unknown', reason: 'JobDeleted' };
}

function findNewestRun(runs: readonly Run[]): Run | undefined {
  const toRunStart = ({ job, createdAt: createdTime, slot: scheduledTime }: Run) => {
    return { jobName: job.metadata.name, createdTime, scheduledTime };
  };
  const [first, ...others] = runs;
  return (
    first &&
    others.reduce((newest, run) => (compareNewestFirst(toRunStart(newest), toRunStart(run)) < 0 ? newest : run), first)
  );
}

/** Whether the recorded run was started after every existing run. */
function isNewerThanRuns(recordedRun: LastRun | undefined, newestRun: Run, runs: readonly Run[]): boolean {
  if (recordedRun === undefined || runs.some(({ job }) => job.metadata.name === recordedRun.jobName)) return false;
  const slot = parseTime(recordedRun.scheduledTime);
  // Runs start in the order of their slots. Times of Jobs come from the clock of the API server, so they are not compared with
  // slots.
  if (slot !== undefined && newestRun.slot !== undefined) return isAfter(slot, newestRun.slot);
  const startedAt = parseTime(recordedRun.startTime) ?? slot;
  return startedAt === undefined || isAfter(startedAt, newestRun.createdAt);
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

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** JSON has no `undefined`, so a field with the value `undefined` would always differ from the stored status. */
function withoutUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  const defined: Record<string, unknown> = {};
  for (const name in fields) {
    if (fields[name] !== undefined) defined[name] = fields[name];
  }
  return defined as WithoutUndefined<T>; // every remaining field has a value
}
