/** What happened: what the calls of a pass came to, as the controller hands it back to the core, and what became of the slots. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobStatus, FailedStart } from '../../api/v1/cronjob-types.ts';
import type { Decision } from './decide.ts';
import type { Facts } from './facts.ts';
import type { DueSlots } from './slots.ts';

export interface Applied {
  readonly started: StartResult;
  /** The runs that were deleted to be replaced. */
  readonly replaced: readonly Job[];
}

/** What became of the Job that was to be started. */
export type StartResult =
  /** None was. */
  | { readonly kind: 'None' }
  | { readonly kind: 'Created'; readonly job: Job }
  /** The run's Job was there already and is ours: an earlier pass made it and could not say so. */
  | { readonly kind: 'Adopted'; readonly job: Job }
  /** A Job of that name is there and belongs to somebody else. */
  | { readonly kind: 'Foreign'; readonly jobName: string }
  | { readonly kind: 'Failed'; readonly failure: Failure };

/** Why no Job was started. */
export interface Failure {
  /**
   * Refused: the server understood and said no, which people must hear about. Transient: trying again is all there is to
   * do. NamespaceTerminating: nothing will be created there any more. DeleteFailed: a run to be replaced is still there.
   */
  readonly kind: 'Refused' | 'Transient' | 'NamespaceTerminating' | 'DeleteFailed';
  /** The Job that could not be created, or deleted. */
  readonly jobName: string;
  /** The server's words. */
  readonly message: string;
  /** Wait that the server asked for, or that a refused delete is given, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** What became of the status. */
export type StatusWrite =
  /** The API server took it, or has had it before; `status` is what it has. */
  | { readonly kind: 'Stored'; readonly status: CronJobStatus }
  /** Not this time, and it has `status` as before. */
  | { readonly kind: 'Failed'; readonly status: CronJobStatus }
  /** There is no such CronJob any more, or not on the API server that was asked. */
  | { readonly kind: 'Gone' };

/** What became of the finished Jobs beyond the history limits. */
export interface Pruned {
  readonly deleted: readonly Job[];
  /** The first delete that failed since deletes last worked; people are told of it. */
  readonly failure?: Pick<Failure, 'jobName' | 'message'>;
}

/** The slot whose Job was created just now. An adopted Job is not: nobody knows how late it came. */
export function createdSlot(decision: Decision, started: StartResult): Date | undefined {
  return started.kind === 'Created' && decision.kind === 'Run' ? decision.slot : undefined;
}

/** Admission plugins and webhooks may answer with pages. */
const MAX_MESSAGE_LENGTH = 1000;

/** What is kept of a run that could not be started, for people to act on; `undefined` when there is nothing they could do. */
export function failedStartOf(started: StartResult): FailedStart | undefined {
  if (started.kind === 'Foreign') return { jobName: started.jobName, reason: 'JobNameTaken' };
  if (started.kind !== 'Failed') return undefined;
  const { kind, jobName, message } = started.failure;
  switch (kind) {
    case 'Refused':
    case 'DeleteFailed':
      return { jobName, reason: kind, message: message.slice(0, MAX_MESSAGE_LENGTH) };
    case 'Transient':
    case 'NamespaceTerminating':
      return undefined;
  }
}

/** The same in a sentence. */
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
  return `Error deleting job ${jobName}: ${message.slice(0, MAX_MESSAGE_LENGTH)}`;
}

/** Slots that should have run and did not. */
export const MISSED_REASONS = ['DeadlineExceeded', 'Superseded', 'TooManyMissedTimes'] as const;
/** Slots that were not run because something said so. */
export const SKIPPED_REASONS = ['ConcurrencyPolicyForbid', 'FailedCreate', 'JobNameTaken', 'Suspended'] as const;

/** Slots passed over for one reason. */
export type PassedOver =
  | { readonly kind: 'missed'; readonly reason: (typeof MISSED_REASONS)[number]; readonly count: number }
  | { readonly kind: 'skipped'; readonly reason: (typeof SKIPPED_REASONS)[number]; readonly count: number };

/**
 * The slots that this pass settles without a run. Of a long backlog at most 101 are counted at once: the count is exact
 * up to there, and nobody needs to know how many minutes a year has.
 */
export function slotsPassedOver(facts: Facts, decision: Decision, started: StartResult): readonly PassedOver[] {
  const counts = countsOf(facts.due, decision, started).filter(({ count }) => count > 0);
  return facts.isResuming ? skippedOnPurpose(counts) : counts;
}

function countsOf(due: DueSlots, decision: Decision, started: StartResult): readonly PassedOver[] {
  switch (decision.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'InvalidSchedule':
    case 'Suspended':
      return [];
    case 'TooManyMissed':
      return [expired(due), missed('TooManyMissedTimes', due.unmet.count)];
    case 'NothingDue':
      return [expired(due)];
    case 'Blocked':
      return [expired(due), skipped('ConcurrencyPolicyForbid', olderThanNewest(due))];
    case 'Run':
      return [expired(due), ...ofStart(due, started)];
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

function expired({ expired: { count } }: DueSlots): PassedOver {
  return missed('DeadlineExceeded', count);
}

function olderThanNewest({ unmet: { count } }: DueSlots): number {
  return count - 1;
}

/** What went by while nothing was to be started was not missed, and nothing else held it up. */
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
