/** The results of the calls of a pass, which the shell hands back to the core. */
import type { Job } from '../../api/kubernetes.ts';
import type { FailedStart } from '../../api/v1/cronjob-types.ts';
import type { Decision } from './decide.ts';
import { type Run, runOf } from './job.ts';

/** What the calls that carry out the decision returned. */
export interface ActionResults {
  readonly started: StartResult;
  /** The Jobs that were deleted because the new run replaces them. */
  readonly replaced: readonly Job[];
  /** The Jobs that were to be deleted for that, and were gone already. Default: none. */
  readonly gone?: readonly Job[];
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
