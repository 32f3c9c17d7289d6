/** What became of a plan: what the shell reports back to the core after its calls. */
import type { Job } from '../../api/kubernetes.ts';

/** What became of the Job that the plan wanted to start. */
export type Started =
  /** The plan started nothing. */
  | { readonly kind: 'None' }
  | { readonly kind: 'Created'; readonly job: Job }
  /** The slot's Job was there already and is ours: an earlier pass made it and could not say so. */
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
  readonly jobName: string;
  /** The server's words. */
  readonly message: string;
  /** Wait that the server asked for, in milliseconds. */
  readonly retryAfterMs?: number;
}

export interface Applied {
  readonly started: Started;
  /** Names of the finished Jobs that were deleted. */
  readonly pruned: readonly string[];
}
