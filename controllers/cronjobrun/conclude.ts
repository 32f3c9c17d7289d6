/** Computes the status of a CronJobRun after a reconcile, and the next reconcile. */
import { setCondition } from 'controller-runtime/kubernetes';
import { formatTime, isAfter, parseTime } from '../../api/time.ts';
import type { Condition, FailedStart } from '../../api/v1/cronjob-types.ts';
import {
  type CronJobRun,
  type CronJobRunStatus,
  MAX_LISTED_JOBS,
  type RequestedJob,
} from '../../api/v1/cronjobrun-types.ts';
import {
  formatFailedStart,
  isTerminalFailure,
  MAX_REFUSED_MS,
  type StartResult,
  toFailedStart,
} from '../cronjob/decide.ts';
import { computeAcceptanceEnd, isAccepted, isFinishedRun, type RequestedStart, type RunFacts } from './facts.ts';

/** The attempt of a reconcile to start a run. */
export type StartAttempt =
  | { readonly kind: 'NotTried' }
  /** The run must wait, for example for an active run of the CronJob. `cause` is a phrase about terminating Pods. */
  | { readonly kind: 'Waiting'; readonly cause?: string }
  | { readonly kind: 'Tried'; readonly start: RequestedStart; readonly result: RunStartResult };

/** AlreadyStarted: an earlier reconcile has created the Job, but could not store the status. */
type RunStartResult = StartResult | { readonly kind: 'AlreadyStarted' };

export interface RunOutcome {
  readonly status: CronJobRunStatus;
  /** Whether the next reconcile follows immediately. */
  readonly continues: boolean;
  /** Whether the next reconcile must try the start again, after a back-off. */
  readonly mustRetry: boolean;
  /** The latest time of the next reconcile. Default: the next reconcile follows an event. */
  readonly wakeAt?: Date;
}

/** After this interval at the latest, a reconcile checks again whether the CronJob lets a waiting run start. */
const WAIT_CHECK_INTERVAL_MS = 60_000;

export function concludeRun(facts: RunFacts, attempt: StartAttempt): RunOutcome {
  const { run, now } = facts;
  if (isFinishedRun(run)) return { status: facts.status, continues: false, mustRetry: false, ...computeExpiry(run) };
  const progress = computeProgress(facts, attempt);
  const status = computeStatus(facts, progress, attempt);
  const isHandled = attempt.kind === 'Tried' && progress.handled === attempt.start;
  return {
    status,
    // The next reconcile reads the Job that an earlier reconcile created, because the Job may have ended.
    continues: isHandled && (progress.remaining.length > 0 || attempt.result.kind === 'AlreadyStarted'),
    mustRetry: attempt.kind === 'Tried' && !isHandled && !isTerminalFailure(attempt.result),
    ...computeNextWakeUp({ ...run, status }, attempt, now),
  };
}

function computeNextWakeUp(run: CronJobRun, attempt: StartAttempt, now: Date): Pick<RunOutcome, 'wakeAt'> {
  if (isFinishedRun(run)) return computeExpiry(run);
  if (attempt.kind === 'Waiting') return { wakeAt: new Date(now.getTime() + WAIT_CHECK_INTERVAL_MS) };
  return isAccepted(run) ? {} : { wakeAt: new Date(computeAcceptanceEnd(run, now).getTime() + 1000) };
}

/** Returns when the finished CronJobRun is deleted. */
export function computeExpiry({ spec, status }: Pick<CronJobRun, 'spec' | 'status'>): { readonly wakeAt?: Date } {
  const { ttlSecondsAfterFinished: ttlSeconds } = spec;
  const finishedAt = parseTime(status?.completionTime);
  if (ttlSeconds === undefined || finishedAt === undefined) return {};
  return { wakeAt: new Date(finishedAt.getTime() + ttlSeconds * 1000) };
}

/** The counts after a reconcile. */
interface Progress extends Pick<RunFacts, 'active' | 'succeeded' | 'failed' | 'skipped' | 'jobList' | 'remaining'> {
  /** The run that the reconcile has started or skipped. */
  readonly handled?: RequestedStart;
  readonly failedStart?: FailedStart;
}

function computeProgress(facts: RunFacts, attempt: StartAttempt): Progress {
  const { active, succeeded, failed, skipped, jobList, remaining, status, now } = facts;
  const progress = { active, succeeded, failed, skipped, jobList, remaining };
  if (attempt.kind !== 'Tried') return { ...progress, ...(status.failedStart && { failedStart: status.failedStart }) };
  const { start, result } = attempt;
  const handled = { remaining: remaining.filter((each) => each !== start), handled: start };
  if (result.kind === 'Created' || result.kind === 'Adopted' || result.kind === 'AlreadyStarted') {
    const entry: RequestedJob = {
      name: start.jobName,
      ...(start.slot && { scheduledTime: formatTime(start.slot) }),
      result: 'Running',
    };
    return { ...progress, ...handled, active: active + 1, jobList: addJob(jobList, entry) };
  }
  const failedStart = computeFailedStart(status.failedStart, result, now);
  const since = parseTime(failedStart?.since);
  const isGivenUp = since !== undefined && now.getTime() - since.getTime() >= MAX_REFUSED_MS;
  if (isGivenUp) return { ...progress, ...handled, skipped: skipped + 1 };
  return { ...progress, ...(failedStart && { failedStart }) };
}

function computeFailedStart(
  earlierFailedStart: FailedStart | undefined,
  result: StartResult,
  now: Date,
): FailedStart | undefined {
  const failedStart = toFailedStart(result);
  if (failedStart === undefined) return earlierFailedStart;
  const since = earlierFailedStart?.jobName === failedStart.jobName ? earlierFailedStart.since : undefined;
  return { ...failedStart, since: since ?? formatTime(now) };
}

/** Keeps all active runs and the newest finished runs. */
function addJob(jobList: readonly RequestedJob[], entry: RequestedJob): readonly RequestedJob[] {
  const allJobs = [entry, ...jobList];
  const excessCount = allJobs.length - MAX_LISTED_JOBS;
  const oldestEnded = allJobs
    .filter(({ result }) => result !== 'Running')
    .slice(excessCount > 0 ? -excessCount : allJobs.length);
  return allJobs.filter((each) => !oldestEnded.includes(each));
}

function computeStatus(facts: RunFacts, progress: Progress, attempt: StartAttempt): CronJobRunStatus {
  const { status: earlierStatus, now } = facts;
  const { jobList, handled, failedStart } = progress;
  const { failedStart: _, ...otherFields } = earlierStatus;
  const accepted = computeAcceptedFields(facts, progress);
  const state = computeState(facts, progress, { attempt, total: accepted.total ?? earlierStatus.total ?? 0 });
  return {
    ...otherFields,
    ...accepted,
    ...(handled?.slot && { lastScheduledTime: formatTime(handled.slot) }),
    ...(jobList.length > 0 && { jobs: jobList }),
    ...(failedStart && { failedStart }),
    ...(state.isFinished && { completionTime: formatTime(now) }),
    conditions: computeConditions(facts, state),
  };
}

/** The fields of a CronJobRun that this reconcile or an earlier reconcile has accepted. */
function computeAcceptedFields(facts: RunFacts, progress: Progress): CronJobRunStatus {
  const { run, status: earlierStatus, now, refusal, cronJob } = facts;
  if (!isAccepted(run) && (refusal !== undefined || cronJob === undefined)) return {};
  const { active, succeeded, failed, skipped, remaining } = progress;
  const knownCount = active + succeeded + failed + skipped + remaining.length;
  return {
    cronJobUID: earlierStatus.cronJobUID ?? cronJob?.metadata.uid,
    startTime: earlierStatus.startTime ?? formatTime(now),
    // Without the CronJob, the number of runs that have not started is unknown.
    total: refusal === undefined ? knownCount : Math.max(earlierStatus.total ?? 0, knownCount),
    active,
    succeeded,
    failed,
    skipped,
  };
}

interface RunState {
  readonly reason: string;
  readonly message: string;
  readonly isFinished: boolean;
  readonly hasFailed: boolean;
}

function computeState(
  { run, refusal, now }: RunFacts,
  { active, succeeded, failed, skipped, remaining, failedStart }: Progress,
  { attempt, total }: { readonly attempt: StartAttempt; readonly total: number },
): RunState {
  const unfinishedFields = { isFinished: false, hasFailed: false };
  if (refusal !== undefined) {
    const isLate = !isAccepted(run) && isAfter(now, computeAcceptanceEnd(run, now));
    const isOver = active === 0 && (refusal.isFinal || isLate);
    return { reason: refusal.reason, message: refusal.message, isFinished: isOver, hasFailed: isOver };
  }
  const counts = `${succeeded} of ${total} succeeded, ${failed} failed, ${skipped} could not start`;
  if (remaining.length === 0 && active === 0) {
    const hasFailed = failed + skipped > 0;
    return { reason: hasFailed ? 'RunsFailed' : 'Succeeded', message: counts, isFinished: true, hasFailed };
  }
  if (run.spec.suspend && remaining.length > 0)
    return {
      ...unfinishedFields,
      reason: 'Suspended',
      message: `spec.suspend is true; ${remaining.length} have not started`,
    };
  if (failedStart !== undefined)
    return { ...unfinishedFields, reason: 'FailedCreate', message: formatFailedStart(failedStart) };
  if (attempt.kind === 'Waiting')
    return { ...unfinishedFields, reason: 'Waiting', message: describeWait(attempt.cause) };
  return { ...unfinishedFields, reason: 'Running', message: counts };
}

function describeWait(cause: string | undefined): string {
  return cause
    ? `the next run waits because ${cause}`
    : 'the concurrency policy of the CronJob makes the next run wait';
}

function computeConditions(
  facts: RunFacts,
  { reason, message, isFinished, hasFailed }: RunState,
): readonly Condition[] {
  const { run, refusal, now, status } = facts;
  const { generation: observedGeneration } = run.metadata;
  const findings: Readonly<Record<string, Pick<Condition, 'reason' | 'message'> & { readonly isTrue: boolean }>> = {
    Accepted: { isTrue: refusal === undefined, reason: 'Accepted', message: '', ...refusal },
    Complete: { isTrue: isFinished && !hasFailed, reason, message },
    Failed: { isTrue: isFinished && hasFailed, reason, message },
  };
  return Object.entries(findings).reduce<readonly Condition[]>((conditions, [type, finding]) => {
    const condition = {
      type,
      status: finding.isTrue ? 'True' : 'False',
      reason: finding.reason,
      message: finding.message,
    } as const;
    return setCondition(conditions, { ...condition, observedGeneration }, now);
  }, status.conditions ?? []);
}
