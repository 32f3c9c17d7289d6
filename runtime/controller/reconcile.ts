/** The contract between a controller and the code that reconciles one kind of object. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyFor } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';

/**
 * Names the object of type `T` to reconcile, with a namespace if its kind is namespaced. It does not name the event:
 * read the current state and correct it.
 */
export type Request<T extends KubernetesObject = KubernetesObject> = KeyFor<T>;

export interface Result {
  /**
   * Reconcile again this many milliseconds after the pass began; replaces the earlier wake-up. Without it, the object
   * sleeps until an event arrives. The time counts from the beginning because the pass read the clock then: a pass that
   * waits three seconds for a busy API server must not be three seconds late the next time.
   *
   * 0 or less means that the time has come: reconcile again with back-off, as with {@link retry}, so that a pass that
   * always returns it does not loop. (In Go's controller-runtime 0 means: do not reconcile again.)
   */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Reconcile again as soon as it is the object's turn, with this priority and without back-off: for a pass with
   * remaining work. A pass that always returns it loops.
   */
  readonly requeue?: Priority | undefined;
  /** Something failed: also reconcile again with back-off, independently of `requeueAfterMs`. Default false. */
  readonly retry?: boolean;
  /** With `retry`: minimum wait in milliseconds, because the server requested it. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Without `retry`: the cause of an earlier failure persists, so the next failure backs off further. Default false: a
   * pass that does not fail resets the back-off.
   */
  readonly keepsBackOff?: boolean;
  /**
   * The error of a failed pass that still returns `requeueAfterMs`. Handled like a thrown error: logged, counted and
   * retried with back-off.
   */
  readonly error?: unknown;
}

export interface ReconcileContext {
  /** Has the controller, the object and this pass as fields. */
  readonly log: Logger;
  /** Aborts when the manager can no longer wait for this pass. */
  readonly signal: AbortSignal;
  /**
   * Requests permission to continue with work that can wait, such as the status of an object that just started. Returns
   * false while other objects wait: the pass should then end with `requeue: 'low'`, and leave that work to the next
   * pass. After true, the pass counts as one of low priority.
   */
  readonly tryContinueAtLowPriority: () => boolean;
  /**
   * Returns whether other objects wait for their pass, at any priority. Use it for work without urgency, such as the
   * deletion of old history: a pass of low priority may leave it to a later pass with `requeue: 'low'`, so that the
   * other objects come first.
   */
  readonly hasWaitingObjects: () => boolean;
}

/** Reconciles objects of type `T` by their keys. */
export interface Reconciler<T extends KubernetesObject = KubernetesObject> {
  /**
   * Makes the cluster match one object's spec. Must be idempotent. After an error, the controller retries with back-off
   * and keeps the wake-up that an earlier pass set. After a {@link TerminalError}, it does not retry until the object
   * changes or the next resync.
   */
  // A property instead of a method: for a method, the compiler would accept a reconciler that needs a namespace for
  // cluster-scoped kinds.
  readonly reconcile: (request: Request<T>, context: ReconcileContext) => Promise<Result>;
}

/** An error that a retry does not fix: the controller ignores the object until it changes, or until the next resync. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/**
 * Returns the result of a reconcile. The result is empty if the reconciler returns nothing. Throws TypeError for any other value, because untyped code
 * may return anything.
 */
export function parseResult(returned: unknown): Result {
  if (returned === undefined) return {};
  if (typeof returned !== 'object' || returned === null) throw new TypeError(`reconcile returned ${String(returned)}`);
  const { requeueAfterMs, retryAfterMs } = returned as Result; // checked here
  checkMs('requeueAfterMs', requeueAfterMs);
  checkMs('retryAfterMs', retryAfterMs);
  return returned;
}

function checkMs(field: string, value: unknown): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw new TypeError(`reconcile returned ${field} ${String(value)}, which is not a number of milliseconds`);
}
