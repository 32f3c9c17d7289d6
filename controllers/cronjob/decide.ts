/** Decides whether a reconcile starts a run. The order of the guards specifies which rule comes first. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { parseTime } from '../../api/time.ts';
import { getCatchUpLimit } from '../../api/v1/concurrency.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { FailedStart } from '../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../api/v1/job-names.ts';
import type { SkipReason } from '../../api/v1/reasons.ts';
import type { Facts } from './facts.ts';
import { type DueRunNow, findLastSuccess, hasActivePods, type Run, toRun } from './job.ts';
import { buildManualJob, buildSlotJob } from './new-job.ts';
import { getDeadlineMs } from './slots.ts';

/**
 * The decision whether a reconcile starts a run. slot-outcome.ts computes the effect of each decision on the due slots.
 */
export type Decision =
  /** The reconcile starts a manual run. Another reconcile follows immediately, and handles a slot that is due. */
  | { readonly kind: 'RunNow'; readonly value: string; readonly job: NewJob; readonly replaces: readonly Job[] }
  /** No run starts for the slots up to `through`. */
  | { readonly kind: 'Skip'; readonly through: Date; readonly reason: SkipReason }
  /**
   * No slot is due. A CronJob has no due slot while it is suspended, paused or being deleted, or while its schedule is
   * invalid.
   */
  | { readonly kind: 'NothingDue' }
  /** The run of a slot is due and waits until active runs finish. */
  | { readonly kind: 'Blocked'; readonly slot: Date }
  /**
   * A run is due and replaces an active run that the stored status does not record. The reconcile only stores the
   * status. If the reconcile deleted the Job first, a crash would lose the record that the active run had started.
   */
  | { readonly kind: 'RecordFirst' }
  /** A slot is due. The reconcile deletes the runs that the run of the slot replaces, and then starts the run. */
  | { readonly kind: 'Run'; readonly slot: Date; readonly job: NewJob; readonly replaces: readonly Job[] };

type Guard = (facts: Facts) => Decision | undefined;

const GUARDS: readonly Guard[] = [
  decideManualRun,
  decideTooManyMissed,
  decideSkipped,
  decideBlocked,
  decideAbandoned,
  decideScheduledRun,
];

/** Returns the decision of the first guard that returns a decision. */
export function decide(facts: Facts): Decision {
  for (const guard of GUARDS) {
    const decision = guard(facts);
    if (decision !== undefined) return decision;
  }
  return { kind: 'NothingDue' };
}

function decideManualRun(facts: Facts): Decision | undefined {
  const { cronJob, runNow, concurrency } = facts;
  if (runNow.kind !== 'Due' || concurrency.kind === 'Wait' || mustYieldToSlot(runNow, facts)) return undefined;
  if (mustRecordFirst(facts)) return { kind: 'RecordFirst' };
  const { value } = runNow;
  return {
    kind: 'RunNow',
    value,
    job: buildManualJob(cronJob, value, findLastSuccess(facts.status, facts.runs)),
    replaces: listJobsToReplace(facts),
  };
}

function decideTooManyMissed({ cronJob, due, parsed, now, isResuming }: Facts): Decision | undefined {
  const catchesUp = !isResuming && getCatchUpLimit(cronJob.spec) !== undefined;
  if (due.unmet.count <= MAX_MISSED_SLOTS || catchesUp) return undefined;
  // A slot whose delay has not ended is not missed.
  const through = parsed.startedThrough(now);
  return { kind: 'Skip', through, reason: isResuming ? 'Suspended' : 'TooManyMissedTimes' };
}

function decideSkipped(facts: Facts): Decision | undefined {
  const { cronJob, due, parsed, concurrency } = facts;
  if (due.slot === undefined || cronJob.spec.concurrencyPolicy !== 'Skip') return undefined;
  const through = concurrency.kind === 'Wait' ? due.unmet.newest : due.slot;
  const isSkipped = concurrency.kind === 'Wait' || wasRunActiveAt(parsed.startOf(due.slot), facts);
  return through && isSkipped ? { kind: 'Skip', through, reason: 'ConcurrencyPolicySkip' } : undefined;
}

/** Whether a run that has finished since was active, for example during a failure of the manager. */
function wasRunActiveAt(time: Date, { runs, recentRuns }: Facts): boolean {
  const isInside = (start: Date, end: Date | undefined) => start < time && end !== undefined && end > time;
  return (
    runs.some(({ createdAt, finishedAt }) => isInside(createdAt, finishedAt)) ||
    recentRuns.some(({ createdTime, completionTime }) => isInside(createdTime, completionTime))
  );
}

function decideBlocked({ due: { slot }, concurrency }: Facts): Decision | undefined {
  return slot && concurrency.kind === 'Wait' ? { kind: 'Blocked', slot } : undefined;
}

/**
 * The time after which a refused run without a deadline is skipped, because otherwise the run would block all later runs for ever.
 */
export const MAX_REFUSED_MS = 3_600_000;

function decideAbandoned({ cronJob, status: { failedStart }, due: { slot }, now }: Facts): Decision | undefined {
  const since = getDeadlineMs(cronJob.spec) === undefined ? parseTime(failedStart?.since) : undefined;
  if (slot === undefined || since === undefined || failedStart?.jobName !== toSlotJobName(cronJob, slot))
    return undefined;
  const isAbandoned = getCatchUpLimit(cronJob.spec) !== undefined && now.getTime() - since.getTime() >= MAX_REFUSED_MS;
  return isAbandoned ? { kind: 'Skip', through: slot, reason: 'FailedCreate' } : undefined;
}

function decideScheduledRun(facts: Facts): Decision | undefined {
  const { slot } = facts.due;
  if (slot === undefined) return undefined;
  if (mustRecordFirst(facts)) return { kind: 'RecordFirst' };
  return {
    kind: 'Run',
    slot,
    job: buildSlotJob(facts.cronJob, slot, findLastSuccess(facts.status, facts.runs)),
    replaces: listJobsToReplace(facts),
  };
}

/**
 * Whether the run of a due slot starts before a manual run. A manual run that cannot start must not delay the schedule. Also, after
 * a user sets `suspend` to false, only the first reconcile can detect that earlier slots were skipped on purpose.
 */
function mustYieldToSlot({ hasFailed }: DueRunNow, { due, isResuming }: Facts): boolean {
  return due.unmet.newest !== undefined && (isResuming || hasFailed);
}

function mustRecordFirst({ concurrency, isResuming }: Facts): boolean {
  return concurrency.kind === 'Replace' && !concurrency.areRecorded && !isResuming;
}

function listJobsToReplace({ concurrency }: Facts): readonly Job[] {
  return concurrency.kind === 'Replace' ? concurrency.jobs : [];
}

/** Returns the names of the Jobs that wait until active runs finish. */
export function listWaitingJobNames({ cronJob, runNow, concurrency }: Facts, decision: Decision): readonly string[] {
  return [
    ...(runNow.kind === 'Due' && concurrency.kind === 'Wait' ? [runNow.jobName] : []),
    ...(decision.kind === 'Blocked' ? [toSlotJobName(cronJob, decision.slot)] : []),
  ];
}

const MAX_NAMED_JOBS = 3;

/** Returns a phrase about the finished Jobs whose Pods still count as active, or `undefined` if there is none. */
export function describeTerminatingPods({ runs }: Facts): string | undefined {
  const names = runs.filter((run) => run.state !== 'Active' && hasActivePods(run)).map(({ job }) => job.metadata.name);
  if (names.length === 0) return undefined;
  const others = names.length > MAX_NAMED_JOBS ? ` and ${names.length - MAX_NAMED_JOBS} other Jobs` : '';
  return `the Pods of ${names.slice(0, MAX_NAMED_JOBS).join(', ')}${others} are terminating`;
}

/** The responses to the calls of a decision. */
export interface ActionResults {
  readonly started: StartResult;
  /** The Jobs that the reconcile has deleted to replace them. */
  readonly replaced: readonly Job[];
  /** The Jobs that no longer existed when the reconcile tried to delete them. Default: empty. */
  readonly gone?: readonly Job[];
}

export type StartResult =
  /** The decision starts no Job. */
  | { readonly kind: 'None' }
  | { readonly kind: 'Created'; readonly job: Job }
  /** The Job existed and belongs to this CronJob: an earlier reconcile created the Job and could not record it. */
  | { readonly kind: 'Adopted'; readonly job: Job }
  /** A Job of this name exists and belongs to another owner. */
  | { readonly kind: 'Foreign'; readonly jobName: string }
  | { readonly kind: 'Failed'; readonly failure: StartFailure };

export interface StartFailure {
  /**
   * Refused: a user must fix the cause. Transient: a retry may succeed, so the controller sends no event. NamespaceTerminating: a
   * retry cannot succeed. DeleteFailed: the policy Replace could not delete an active run.
   */
  readonly kind: 'Refused' | 'Transient' | 'NamespaceTerminating' | 'DeleteFailed';
  readonly jobName: string;
  readonly message: string;
  /** Set if the response does not show whether the Job was created. */
  readonly mayExist?: true;
  /** Minimum wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Whether no later start can succeed, because the namespace is being deleted. */
export function isTerminalFailure(startResult: StartResult | { readonly kind: 'AlreadyStarted' }): boolean {
  return startResult.kind === 'Failed' && startResult.failure.kind === 'NamespaceTerminating';
}

/** The result of pruning. */
export interface PruningResult {
  readonly deleted: readonly Job[];
  /** The failed delete. Absent for repeated failures, so that the controller sends one event for all of them. */
  readonly failure?: Pick<StartFailure, 'jobName' | 'message'>;
}

/** Adds the run that the reconcile has started or adopted. */
export function addStartedRun(runs: readonly Run[], startResult: StartResult): readonly Run[] {
  if (startResult.kind !== 'Created' && startResult.kind !== 'Adopted') return runs;
  const isListed = runs.some(({ job }) => job.metadata.uid === startResult.job.metadata.uid);
  return isListed ? runs : [...runs, toRun(startResult.job)];
}

/** Returns the slot of the created Job. For an adopted Job, returns `undefined`, because an earlier reconcile created the Job. */
export function findCreatedSlot(decision: Decision, startResult: StartResult): Date | undefined {
  return startResult.kind === 'Created' && decision.kind === 'Run' ? decision.slot : undefined;
}

const MAX_MESSAGE_LENGTH = 1000;

/**
 * Calls `toWellFormed`, because the API server would replace half of a surrogate pair. The stored status would then differ from the
 * sent status.
 */
function truncate(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

/** Returns `status.failedStart` without `since`, or `undefined` if a user cannot fix the cause. */
export function toFailedStart(startResult: StartResult): FailedStart | undefined {
  if (startResult.kind === 'Foreign') return { jobName: startResult.jobName, reason: 'JobNameTaken' };
  if (startResult.kind !== 'Failed') return undefined;
  const { kind, jobName, message } = startResult.failure;
  switch (kind) {
    case 'Refused':
    case 'DeleteFailed':
      return { jobName, reason: kind, message: truncate(message) };
    case 'Transient':
    case 'NamespaceTerminating':
      return undefined;
  }
}

/** Returns the message of the event and of the Degraded condition. */
export function formatFailedStart({ jobName, reason, message = '' }: FailedStart): string {
  switch (reason) {
    case 'Refused':
      return `Error creating job ${jobName}: ${message}`;
    case 'DeleteFailed':
      return formatDeleteFailure({ jobName, message });
    case 'JobNameTaken':
      return `Error creating job ${jobName}: a Job of that name exists and has another owner; delete it`;
  }
}

export function formatDeleteFailure({ jobName, message }: Pick<StartFailure, 'jobName' | 'message'>): string {
  return `Error deleting job ${jobName}: ${truncate(message)}`;
}

export function formatStartCheckFailure({ jobName, message }: Pick<StartFailure, 'jobName' | 'message'>): string {
  return `Error checking whether job ${jobName} has started: ${truncate(message)}`;
}
