/** What became of a plan: what the shell reports back to the core after its calls. */
import type { Job } from '../../api/kubernetes.ts';
import type { Failures } from './observed.ts';
import type { Outcome } from './plan.ts';

/** What became of the Job that the plan wanted to start. */
export type Started =
  /** The plan started nothing. */
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

export interface Applied {
  readonly started: Started;
  /** The runs that were deleted to be replaced. */
  readonly replaced: readonly Job[];
}

/** What became of the finished Jobs beyond the history limits. */
export interface Pruned {
  readonly deleted: readonly Job[];
  /** The first delete that failed since deletes last worked; people are told of it. */
  readonly failure?: Pick<Failure, 'jobName' | 'message'>;
}

/**
 * What is known, after a pass, of Jobs that could not be started.
 * @param isTold Whether people have been told what this pass has to say.
 */
export function failuresAfter(
  before: Failures,
  outcome: Outcome,
  { started, isTold }: { readonly started: Started; readonly isTold: boolean },
): Failures {
  if (!('job' in outcome)) return before;
  const { name } = outcome.job.metadata;
  // A run by hand and a slot may fail in turn; nothing older matters any more.
  const other = [...before].filter(([jobName]) => jobName !== name).slice(-1);
  if (started.kind !== 'Failed') return new Map(other);
  return new Map([...other, [name, isTold ? failureMessage(started) : before.get(name)]]);
}

/** Admission plugins and webhooks may answer with pages. */
const MAX_MESSAGE_LENGTH = 1000;

/** What people are told when a run could not be started; `undefined` when there is nothing they could do. */
export function failureMessage(started: Started): string | undefined {
  if (started.kind === 'Foreign') {
    return `Error creating job ${started.jobName}: a Job of that name exists and belongs to something else; delete it`;
  }
  if (started.kind !== 'Failed') return undefined;
  const { kind, jobName } = started.failure;
  const message = started.failure.message.slice(0, MAX_MESSAGE_LENGTH);
  switch (kind) {
    case 'Refused':
      return `Error creating job ${jobName}: ${message}`;
    case 'DeleteFailed':
      return deleteFailureMessage({ jobName, message });
    case 'Transient':
    case 'NamespaceTerminating':
      return undefined;
  }
}

export function deleteFailureMessage({ jobName, message }: Pick<Failure, 'jobName' | 'message'>): string {
  return `Error deleting job ${jobName}: ${message.slice(0, MAX_MESSAGE_LENGTH)}`;
}
