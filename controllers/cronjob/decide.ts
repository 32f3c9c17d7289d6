/**
 * Decides whether a pass starts a run, and describes the result of the start. The order of the guards in `decide` is the
 * specification. Next: conclude.ts.
 */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { FailedStart } from '../../api/v1/cronjob-types.ts';
import { slotJobName } from '../../api/v1/job-names.ts';
import type { Facts } from './facts.ts';
import { type DueRunNow, findLastSuccess, type Run, toRun } from './job.ts';
import { buildManualJob, buildSlotJob } from './new-job.ts';

/**
 * What a pass decides about starting a run. A new decision compiles only when slot-outcome.ts says what happens to the due slots.
 */
export type Decision =
  /** The pass starts a manual run. The next pass, which follows immediately, handles a slot that is due. */
  | { readonly kind: 'RunNow'; readonly value: string; readonly job: NewJob; readonly replaces: readonly Job[] }
  /** More slots are unmet than {@link MAX_MISSED_SLOTS}, so no slot starts. */
  | { readonly kind: 'TooManyMissed' }
  /**
   * No slot may start: no slot is due, or the CronJob is suspended, paused, being deleted, or has a schedule that cannot be parsed.
   */
  | { readonly kind: 'NothingDue' }
  /** A slot is due and waits for the active runs to finish (concurrencyPolicy Forbid). */
  | { readonly kind: 'Blocked'; readonly slot: Date }
  /**
   * A run is due and would replace a run that no stored status records. If its Job were deleted now, a crash would lose the proof
   * that it ran. The status records it first, and the next pass starts the due run.
   */
  | { readonly kind: 'RecordFirst' }
  /** A slot is due, and its run starts after the runs that it replaces are deleted. */
  | { readonly kind: 'Run'; readonly slot: Date; readonly job: NewJob; readonly replaces: readonly Job[] };

type Guard = (facts: Facts) => Decision | undefined;

/** The guards, in the order of the specification. */
const GUARDS: readonly Guard[] = [
  decideManualRun,
  ({ due }) => (due.unmet.count > MAX_MISSED_SLOTS ? { kind: 'TooManyMissed' } : undefined),
  decideBlocked,
  decideScheduledRun,
];

/** Returns the decision of the first guard that holds. */
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
    job: buildManualJob(cronJob, value, findLastSuccess(facts)),
    replaces: replacedJobs(facts),
  };
}

function decideBlocked({ due: { unmet }, concurrency }: Facts): Decision | undefined {
  return unmet.newest && concurrency.kind === 'Wait' ? { kind: 'Blocked', slot: unmet.newest } : undefined;
}

function decideScheduledRun(facts: Facts): Decision | undefined {
  const { newest: slot } = facts.due.unmet;
  if (slot === undefined) return undefined;
  if (mustRecordFirst(facts)) return { kind: 'RecordFirst' };
  return {
    kind: 'Run',
    slot,
    job: buildSlotJob(facts.cronJob, slot, findLastSuccess(facts)),
    replaces: replacedJobs(facts),
  };
}

/**
 * Whether a manual run lets a due slot start first. A manual run that could not be started must not delay the schedule. After
 * `suspend` is lifted, only the first pass knows that earlier slots were skipped on purpose, so that pass must handle them.
 */
function mustYieldToSlot({ hasFailed }: DueRunNow, { due, isResuming }: Facts): boolean {
  return due.unmet.newest !== undefined && (isResuming || hasFailed);
}

/** False in the first pass after `suspend` is lifted, which has to handle earlier slots. */
function mustRecordFirst({ concurrency, isResuming }: Facts): boolean {
  return concurrency.kind === 'Replace' && !concurrency.areRecorded && !isResuming;
}

function replacedJobs({ concurrency }: Facts): readonly Job[] {
  return concurrency.kind === 'Replace' ? concurrency.jobs : [];
}

/** Names of the Jobs that are due and wait for the active runs to finish (concurrencyPolicy Forbid). */
export function waitingJobs({ cronJob, runNow, concurrency }: Facts, decision: Decision): readonly string[] {
  return [
    ...(runNow.kind === 'Due' && concurrency.kind === 'Wait' ? [runNow.jobName] : []),
    ...(decision.kind === 'Blocked' ? [slotJobName(cronJob, decision.slot)] : []),
  ];
}

/** The results of the calls that carry out the decision. */
export interface ActionResults {
  readonly started: StartResult;
  /** The Jobs that were deleted because the new run replaces them. */
  readonly replaced: readonly Job[];
  /** The Jobs to replace that were already gone. Default: empty. */
  readonly gone?: readonly Job[];
}

/** The result of starting the Job. */
export type StartResult =
  /** The decision starts no Job. */
  | { readonly kind: 'None' }
  | { readonly kind: 'Created'; readonly job: Job }
  /** The run's Job existed, and this CronJob owns it: an earlier pass created it and could not record it. */
  | { readonly kind: 'Adopted'; readonly job: Job }
  /** A Job of that name exists and has another owner. */
  | { readonly kind: 'Foreign'; readonly jobName: string }
  | { readonly kind: 'Failed'; readonly failure: Failure };

/** Why no Job was started. */
export interface Failure {
  /**
   * Refused: the API server refuses the Job until a user fixes the cause; it is reported. Transient: a retry may help; it is not reported.
   * NamespaceTerminating: no Job can be created there any more. DeleteFailed: a run to be replaced could not be deleted.
   */
  readonly kind: 'Refused' | 'Transient' | 'NamespaceTerminating' | 'DeleteFailed';
  /** Name of the Job that could not be created or deleted. */
  readonly jobName: string;
  /** The response of the API server. */
  readonly message: string;
  /** The Job may exist: the API server did not respond, or its response does not say. */
  readonly mayExist?: true;
  /** Minimum wait that the server requested, or the wait after a refused delete, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The result of deleting finished Jobs beyond the history limits. */
export interface Pruned {
  readonly deleted: readonly Job[];
  /** The delete that failed, if it is the first failure since deletes last worked: an event reports it once. */
  readonly failure?: Pick<Failure, 'jobName' | 'message'>;
}

/** The runs of a pass, including the run that it has started or adopted. An adopted run may have ended. */
export function runsAfterStart(runs: readonly Run[], started: StartResult): readonly Run[] {
  if (started.kind !== 'Created' && started.kind !== 'Adopted') return runs;
  const isKnown = runs.some(({ job }) => job.metadata.uid === started.job.metadata.uid);
  return isKnown ? runs : [...runs, toRun(started.job)];
}

/** The slot of the Job that this pass created; `undefined` for an adopted Job, because the time of its create is unknown. */
export function createdSlot(decision: Decision, started: StartResult): Date | undefined {
  return started.kind === 'Created' && decision.kind === 'Run' ? decision.slot : undefined;
}

/** Admission plugins and webhooks may send long messages. */
const MAX_MESSAGE_LENGTH = 1000;

/** Cuts between characters: the API server would store half a character as different text. */
function truncate(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

/** `status.failedStart`: why a run could not be started; `undefined` when no user can fix the cause. */
export function toFailedStart(started: StartResult): FailedStart | undefined {
  if (started.kind === 'Foreign') return { jobName: started.jobName, reason: 'JobNameTaken' };
  if (started.kind !== 'Failed') return undefined;
  const { kind, jobName, message } = started.failure;
  switch (kind) {
    case 'Refused':
    case 'DeleteFailed':
      return { jobName, reason: kind, message: truncate(message) };
    case 'Transient':
    case 'NamespaceTerminating':
      return undefined;
  }
}

/** The message of the event and of the condition. */
export function failedStartMessage({ jobName, reason, message = '' }: FailedStart): string {
  switch (reason) {
    case 'Refused':
      return `Error creating job ${jobName}: ${message}`;
    case 'DeleteFailed':
      return deleteFailureMessage({ jobName, message });
    case 'JobNameTaken':
      return `Error creating job ${jobName}: a Job of that name exists and belongs to something else; delete it`;
  }
}

export function deleteFailureMessage({ jobName, message }: Pick<Failure, 'jobName' | 'message'>): string {
  return `Error deleting job ${jobName}: ${truncate(message)}`;
}

export function startCheckFailureMessage({ jobName, message }: Pick<Failure, 'jobName' | 'message'>): string {
  return `Error checking whether job ${jobName} has started: ${truncate(message)}`;
}
