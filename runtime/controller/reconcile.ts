/** The interface between a controller and a reconciler. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyFor } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';

/**
 * The key of the object to reconcile. The key contains a namespace if the kind is namespaced. The request does not
 * contain the event, so read the current state of the object.
 */
export type Request<T extends KubernetesObject = KubernetesObject> = KeyFor<T>;

/** Result of a reconcile. An empty result means success: the next reconcile starts after an event or at the next resync. */
export interface Result {
  /**
   * Time from the start of this reconcile to the next reconcile, in milliseconds. Replaces the time that an earlier
   * reconcile set. Default: the next reconcile starts after an event. The duration of this reconcile does not delay the
   * next reconcile.
   *
   * A value of 0 or less requeues the object with back-off, like {@link retry}. (In Go's controller-runtime, 0 means no
   * further reconcile.)
   */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Requeues the object with this priority and without back-off. Set `requeue` if a reconcile leaves work to the next
   * reconcile. If all reconciles of an object return `requeue`, they run in an endless loop.
   */
  readonly requeue?: Priority | undefined;
  /**
   * Requeues the object with back-off, for example after a partial failure. Does not affect `requeueAfterMs`. Default
   * false.
   */
  readonly retry?: boolean;
  /** Minimum wait before the retry in milliseconds, for example from the header `Retry-After` of a response. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Keeps the back-off of an earlier failure. Set this field if the cause of the failure persists. The wait after the
   * next failure is then longer. Default false: a successful reconcile resets the back-off.
   */
  readonly keepsBackOff?: boolean;
  /**
   * The error of a failed reconcile that also returns `requeueAfterMs`. The controller logs and counts the error, and
   * retries the reconcile, as after a thrown error.
   */
  readonly error?: unknown;
}

/** The functions and data that a reconcile receives in addition to its request. */
export interface ReconcileContext {
  /** Logger with the controller, the object and the id of this reconcile as fields. */
  readonly log: Logger;
  /** Name of the cluster of the object. Absent for the cluster of the manager. */
  readonly cluster?: string | undefined;
  /** Aborts when the manager stops and cannot wait longer for this reconcile. */
  readonly signal: AbortSignal;
  /**
   * Call this function before work that is not urgent, such as a status write. Lowers the priority of this reconcile,
   * or returns false if other objects wait for a reconcile. If the result is false, return `requeue: 'low'` and leave
   * the work to the next reconcile.
   */
  readonly tryContinueAtLowPriority: () => boolean;
  /**
   * Returns whether other objects wait for a reconcile, at any priority. If the result is true, a reconcile of low
   * priority can return `requeue: 'low'` to postpone work that is not urgent, such as the deletion of old objects.
   */
  readonly hasWaitingObjects: () => boolean;
}

/** Reconciles objects of type `T`. */
export interface Reconciler<T extends KubernetesObject = KubernetesObject> {
  /**
   * Makes the cluster match the spec of one object. Must be idempotent. After an error, the controller retries with
   * back-off. The `requeueAfterMs` of an earlier reconcile remains valid. After a {@link TerminalError}, the next
   * reconcile starts when the object changes or at the next resync.
   */
  // `reconcile` is a property, because TypeScript checks the parameters of methods less strictly. With a method,
  // TypeScript would accept a reconciler that requires a namespace for cluster-scoped kinds.
  readonly reconcile: (request: Request<T>, context: ReconcileContext) => Promise<Result>;
}

/** An error that a retry does not fix. The next reconcile starts after a change of the object or at the next resync. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/**
 * Validates the return value of a reconciler, because untyped code may return anything. Returns an empty result for
 * `undefined`. Throws a TypeError for an invalid value.
 */
export function parseResult(returnValue: unknown): Result {
  if (returnValue === undefined) return {};
  if (typeof returnValue !== 'object' || returnValue === null)
    throw new TypeError(`reconcile returned ${String(returnValue)}`);
  const { requeueAfterMs, retryAfterMs } = returnValue as Result; // validated below
  throwIfInvalidDuration('requeueAfterMs', requeueAfterMs);
  throwIfInvalidDuration('retryAfterMs', retryAfterMs);
  return returnValue;
}

/** Whether the object waits for its back-off after this result, although the reconcile has not failed. */
export function needsRetry({ retry = false, requeueAfterMs }: Result): boolean {
  return retry || (requeueAfterMs !== undefined && requeueAfterMs <= 0);
}

function throwIfInvalidDuration(field: string, value: unknown): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw new TypeError(`reconcile returned ${field} ${String(value)}, which is not a number of milliseconds`);
}
