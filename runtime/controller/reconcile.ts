/** The interface between a controller and a reconciler. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyFor } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';

/**
 * The key of the object of type `T` to reconcile. The key contains a namespace if the kind is namespaced. The request
 * does not contain the event, so read the current state of the object.
 */
export type Request<T extends KubernetesObject = KubernetesObject> = KeyFor<T>;

/** Result of a reconcile. An empty result means success: the next reconcile starts after an event or at the next resync. */
export interface Result {
  /**
   * Time from the start of this reconcile to the next reconcile, in milliseconds. Replaces the earlier wake-up. Default: the next
   * reconcile starts after an event. The duration of this reconcile does not delay the next reconcile.
   *
   * A value of 0 or less reconciles again with back-off, like {@link retry}. (In Go's controller-runtime, 0 means no
   * further reconcile.)
   */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Reconciles again with this priority and without back-off, for a reconcile with remaining work. An object whose reconciles
   * always return `requeue` is reconciled in an endless loop.
   */
  readonly requeue?: Priority | undefined;
  /** Reconciles again with back-off after a partial failure. Does not affect `requeueAfterMs`. Default false. */
  readonly retry?: boolean;
  /** Minimum wait before the `retry` in milliseconds, as requested by the server. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Keeps the back-off of an earlier failure, because its cause persists. With this option, the wait after the next
   * failure is longer. Default false: a successful reconcile resets the back-off.
   */
  readonly keepsBackOff?: boolean;
  /**
   * The error of a failed reconcile that also returns `requeueAfterMs`. The controller logs, counts and retries this error
   * like a thrown error.
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
   * Lowers the priority of this reconcile before work without urgency, such as a write of a status. Returns false if other objects
   * wait for a reconcile. If the result is false, the reconcile should return `requeue: 'low'` and leave the work to the next
   * reconcile.
   */
  readonly tryContinueAtLowPriority: () => boolean;
  /**
   * Returns whether other objects wait for a reconcile, at any priority. If the result is true, a reconcile of low priority can
   * postpone work without urgency, such as the deletion of old history, with `requeue: 'low'`.
   */
  readonly hasWaitingObjects: () => boolean;
}

/** Reconciles objects of type `T`. */
export interface Reconciler<T extends KubernetesObject = KubernetesObject> {
  /**
   * Makes the cluster match the spec of one object. Must be idempotent. After an error, the controller retries with
   * back-off, and the earlier wake-up remains. After a {@link TerminalError}, the next reconcile starts when the object
   * changes or at the next resync.
   */
  // A property instead of a method. TypeScript checks the parameters of methods less strictly, and would accept a
  // reconciler that needs a namespace for cluster-scoped kinds.
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
