/** The results of a pass's calls, which the shell hands back to the core; and the slots that the pass misses or skips. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobStatus, FailedStart } from '../../api/v1/cronjob-types.ts';
import type { MISSED_REASONS, SKIPPED_REASONS } from '../../api/v1/skip-reasons.ts';
import type { Decision } from './decide.ts';
import type { Facts } from './facts.ts';
import { type Run, runOf } from './job.ts';
import type { DueSlots } from './slots.ts';
import { waitedFor } from './waiting.ts';

/** What the calls that carry out the decision returned. */
export interface Applied {
  readonly started: StartResult;
  /** The Jobs that were deleted because the new run replaces them. */
  readonly replaced: readonly Job[];
}

/** What became of the Job that was to be started. */
export type StartResult =
  /** The decision starts none. */
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
   * Refused: the API server refuses the Job, which somebody must fix; it is reported. Transient: a retry may help; it is not reported.
   * NamespaceTerminating: no Job can be created there any more. DeleteFailed: a run to be replaced could not be deleted.
   */
  readonly kind: 'Refused' | 'Transient' | 'NamespaceTerminating' | 'DeleteFailed';
  /** The Job that could not be created, or deleted. */
  readonly jobName: string;
  /** The answer of the API server. */
  readonly message: string;
  /** The Job may have been created all the same: there was no answer, or one that does not tell. */
  readonly mayExist?: true;
  /** Wait that the server asked for, or that a refused delete is given, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The result of writing the status. */
export type StatusWrite =
  /** Written, or unchanged. `status` is what the API server stores; `isNew` when this pass wrote it. */
  | { readonly kind: 'Stored'; readonly status: CronJobStatus; readonly isNew: boolean }
  /** Not written. `status` is what the API server stored before. */
  | { readonly kind: 'Failed'; readonly status: CronJobStatus }
  /** Left to the next pass, because other CronJobs come first. `status` is what the API server stores. */
  | { readonly kind: 'Postponed'; readonly status: CronJobStatus }
  /** The CronJob no longer exists, or the API server does not serve the kind. */
  | { readonly kind: 'Gone' };

/** The result of deleting finished Jobs beyond the history limits. */
export interface Pruned {
  readonly deleted: readonly Job[];
  /** The delete that failed, if it is the first since deletes last worked: an event reports it once. */
  readonly failure?: Pick<Failure, 'jobName' | 'message'>;
}

/** The runs of a pass, with the one that it has started or adopted. One that was adopted may have ended. */
export function runsSeen(runs: readonly Run[], started: StartResult): readonly Run[] {
  if (started.kind !== 'Created' && started.kind !== 'Adopted') return runs;
  const isKnown = runs.some(({ job }) => job.metadata.uid === started.job.metadata.uid);
  return isKnown ? runs : [...runs, runOf(started.job)];
}

/** The slot whose Job was created in this pass. None for an adopted Job: when its create arrived is unknown. */
export function createdSlot(decision: Decision, started: StartResult): Date | undefined {
  return started.kind === 'Created' && decision.kind === 'Run' ? decision.slot : undefined;
}

/** Admission plugins and webhooks may send long answers. */
const MAX_MESSAGE_LENGTH = 1000;

/** Not in the middle of a character: the API server would store another text than was sent. */
function cut(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

/** `status.failedStart`: why a run could not be started; `undefined` when nobody can do anything about it. */
export function failedStartOf(started: StartResult): FailedStart | undefined {
  if (started.kind === 'Foreign') return { jobName: started.jobName, reason: 'JobNameTaken' };
  if (started.kind !== 'Failed') return undefined;
  const { kind, jobName, message } = started.failure;
  switch (kind) {
    case 'Refused':
    case 'DeleteFailed':
      return { jobName, reason: kind, message: cut(message) };
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
  return `Error deleting job ${jobName}: ${cut(message)}`;
}

export function startCheckFailureMessage({ jobName, message }: Pick<Failure, 'jobName' | 'message'>): string {
  return `Error checking whether job ${jobName} has started: ${cut(message)}`;
}

/** Slots that were passed over, which is missed or skipped, for one reason. */
export type PassedOver =
  | { readonly kind: 'missed'; readonly reason: (typeof MISSED_REASONS)[number]; readonly count: number }
  | { readonly kind: 'skipped'; readonly reason: (typeof SKIPPED_REASONS)[number]; readonly count: number };

/**
 * The slots that this pass handles without a run. Of a long backlog, at most 101 are counted: more would cost time, and tell nobody
 * anything.
 */
export function slotsPassedOver(facts: Facts, decision: Decision, started: StartResult): readonly PassedOver[] {
  const counts = countsOf(facts, decision, started).filter(({ count }) => count > 0);
  return facts.isResuming ? skippedOnPurpose(counts) : counts;
}

function countsOf(facts: Facts, decision: Decision, started: StartResult): readonly PassedOver[] {
  const { due } = facts;
  switch (decision.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'RecordFirst':
    case 'InvalidSchedule':
    case 'Suspended':
    case 'Paused':
      return [];
    case 'TooManyMissed':
      return [...expired(facts), missed('TooManyMissedTimes', due.unmet.count)];
    case 'NothingDue':
      return [...expired(facts)];
    case 'Blocked':
      return [...expired(facts), skipped('ConcurrencyPolicyForbid', olderThanNewest(due))];
    case 'Run':
      return [...expired(facts), ...ofStart(due, started)];
  }
}

function ofStart(due: DueSlots, started: StartResult): readonly PassedOver[] {
  const older = olderThanNewest(due);
  switch (started.kind) {
    case 'None':
    case 'Failed':
      return [skipped('FailedCreate', older)];
    case 'Created':
    case 'Adopted':
      return [missed('Superseded', older)];
    case 'Foreign':
      return [missed('Superseded', older), skipped('JobNameTaken', 1)];
  }
}

function expired(facts: Facts): readonly PassedOver[] {
  const { count, oldest } = facts.due.expired;
  const waited = oldest && waitedFor(oldest, facts);
  return waited ? [missed('DeadlineExceeded', count - 1), skipped(waited, 1)] : [missed('DeadlineExceeded', count)];
}

/** Slots of a time in which none were to start, and which ends with this pass. Counted once the status is stored. */
export function stoppedSlots({ due: { suspended }, pausedSlots }: Facts): readonly PassedOver[] {
  const counts = [skipped('Paused', pausedSlots), skipped('Suspended', suspended?.count ?? 0)];
  return counts.filter(({ count }) => count > 0);
}

function olderThanNewest({ unmet: { count } }: DueSlots): number {
  return count - 1;
}

/** Slots of the time while suspended were skipped, whatever else would have been the reason. */
function skippedOnPurpose(counts: readonly PassedOver[]): readonly PassedOver[] {
  const wasDue = ({ reason }: PassedOver) => reason === 'JobNameTaken';
  const suspended = counts.filter((each) => !wasDue(each)).reduce((sum, { count }) => sum + count, 0);
  return [...(suspended > 0 ? [skipped('Suspended', suspended)] : []), ...counts.filter(wasDue)];
}

function missed(reason: (typeof MISSED_REASONS)[number], count: number): PassedOver {
  return { kind: 'missed', reason, count };
}

function skipped(reason: (typeof SKIPPED_REASONS)[number], count: number): PassedOver {
  return { kind: 'skipped', reason, count };
}
