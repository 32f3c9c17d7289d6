/** The contract between a controller and the code that reconciles one kind of object. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyOf } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';

/**
 * Which object of type `T` to look at: with a namespace where objects have one, without where they have none. Not what happened to
 * it: look at the world and make it right.
 */
export type Request<T extends KubernetesObject = KubernetesObject> = KeyOf<T>;

export interface Result {
  /**
   * Look again this many milliseconds after the pass began; replaces the wake-up that was set before. Without it the object
   * sleeps until something happens to it. It counts from the beginning because that is when the pass looked at the clock: one
   * that then waits three seconds for a busy API server must not be three seconds late the next time.
   *
   * 0 or less is what a time that has come leaves: look again with back-off, as with {@link retry}, so that a pass that always says so
   * is no loop. (In Go's controller-runtime 0 means: do not look again.)
   */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Look again as soon as it is the object's turn, with this priority and without back-off: for a pass that has left something to do. A
   * pass that always says so is a loop.
   */
  readonly requeue?: Priority | undefined;
  /** Something failed: look again with back-off as well, apart from `requeueAfterMs`. Default false. */
  readonly retry?: boolean;
  /** With `retry`: not before this many milliseconds, because the server asked for it. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Without `retry`: what an earlier pass failed at has not worked since, so that its next failure backs off further. Default false: a pass
   * that does not fail begins the back-off anew.
   */
  readonly keepsBackOff?: boolean;
  /**
   * What made the pass fail, when it can say `requeueAfterMs` all the same. Treated as if it had been thrown: logged, counted and
   * tried again with back-off.
   */
  readonly error?: unknown;
}

export interface ReconcileContext {
  /** Names the controller, the object and this pass. */
  readonly log: Logger;
  /** Aborts when the manager cannot wait for this pass any longer. */
  readonly signal: AbortSignal;
  /**
   * Asks to go on with work that can wait, such as the status of what was just started. False while other objects wait: the pass should
   * then end, with `requeue: 'low'`, and leave that work to the next one. After true the pass counts as one of low priority.
   */
  readonly lowerPriority: () => boolean;
  /**
   * Whether other objects wait for their pass, whatever their priority. For work that nobody waits for, such as the deletion of old history:
   * a pass of low priority may leave it to a further one, with `requeue: 'low'`, and so lets the others come first.
   */
  readonly othersWait: () => boolean;
}

/** Reconciles objects of type `T`, by their keys. */
export interface Reconciler<T extends KubernetesObject = KubernetesObject> {
  /**
   * Makes the world fit one object's spec. Must be safe to repeat. An error means: try again with back-off, and leave the
   * wake-up that an earlier pass set; a {@link TerminalError}: do not, until the object changes or the next resync.
   */
  // A property: of a method, the compiler would take one that wants a namespace for kinds that have none.
  readonly reconcile: (request: Request<T>, context: ReconcileContext) => Promise<Result>;
}

/** An error that trying again will not cure: the object is left alone until it changes, or until the next resync. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** What a pass returned, if it is a result; nothing is one too. Throws TypeError, as code without types may return anything. */
export function resultOf(returned: unknown): Result {
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
