import { type PartialObjectMetadata, toPartialObjectMetadata } from '../cache/partial-object.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { MergePatch } from '../client/patch.ts';
import { withTimeoutSignal } from '../clock/timeout.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type KeyFor, type ObjectKey } from '../kubernetes/resource.ts';
import { createObjectContext, type ObjectContext, type ObjectContextOptions } from './object-context.ts';
import type { ReconcileContext, Reconciler, Request, Result } from './reconcile.ts';
import { needsRetry, parseResult, TerminalError } from './reconcile.ts';

/** Timeout of the error handler after a timeout of the reconcile, in milliseconds. */
const ERROR_HANDLER_TIMEOUT_MS = 5000;

/** The return type of a reconcile function: a {@link Result}, or nothing after success. */
// biome-ignore lint/suspicious/noConfusingVoidType: the type of an async function without a return value is Promise<void>
type ReconcilePromise = Promise<Result | void>;

/**
 * Makes the cluster match the spec of one object. Must be idempotent, because the controller calls the function again
 * after an error and after every change that may matter.
 */
export type ReconcileFunction<T extends KubernetesObject> = (object: T, context: ObjectContext<T>) => ReconcilePromise;

/** Name of a finalizer with its domain, such as `example.com/website`. */
export type FinalizerName = `${string}.${string}/${string}`;

/**
 * Cleans up for an object that is being deleted. Must be idempotent. The controller removes the finalizer after the
 * function returns, unless its result requests another call (`requeueAfterMs`, `retry` or `error`).
 */
export type Finalizer<T extends KubernetesObject> = ReconcileFunction<T>;

/**
 * Reports the error of a failed reconcile, for example in the status of the object. Receives the object as it is after the
 * reconcile. The controller logs an error of this function, and retries the reconcile because of the first error. After a
 * timeout of the reconcile, the signal in the context aborts after 5 seconds.
 */
export type ErrorHandler<T extends KubernetesObject> = (
  object: T,
  error: unknown,
  context: ObjectContext<T>,
) => Promise<void>;

export interface ObjectReconcilerOptions<T extends KubernetesObject> extends ObjectContextOptions<T> {
  /** Reads the cached metadata of an object, if `T` has only metadata. Default: reads whole objects. */
  readonly readMetadata?: ((key: ObjectKey) => Promise<PartialObjectMetadata<T> | undefined>) | undefined;
  readonly reconcile: ReconcileFunction<T>;
  /** Default: errors are only logged. */
  readonly onError?: ErrorHandler<T> | undefined;
  /** Aborts when the manager cannot wait longer for reconciles in progress. */
  readonly abortSignal: AbortSignal;
  /** The finalizers in the order in which they run. */
  readonly finalizers: ReadonlyMap<FinalizerName, Finalizer<T>>;
}

/** Reads the object, adds and removes finalizers, and calls the reconcile function or the finalizers. */
export class ObjectReconciler<T extends KubernetesObject> implements Reconciler<T> {
  readonly #options: ObjectReconcilerOptions<T>;

  constructor(options: ObjectReconcilerOptions<T>) {
    this.#options = options;
  }

  async reconcile(request: Request<T>, context: ReconcileContext): Promise<Result> {
    const { statusWrites } = this.#options;
    const key = formatKey(request);
    const object = await this.#read(request, context.signal);
    if (object === undefined) {
      statusWrites.forget(key);
      return {};
    }
    statusWrites.startReconcile(key);
    let isRetried = true;
    try {
      const result = await this.#reconcileObject(object, context);
      const hasFailed = result.error !== undefined || this.#hasTimedOut(context);
      if (hasFailed) await this.#reportError(request, result.error, context);
      isRetried = hasFailed || needsRetry(result);
      return result;
    } catch (error) {
      await this.#reportError(request, error, context);
      throw error;
    } finally {
      statusWrites.endReconcile(key, isRetried);
    }
  }

  async #reconcileObject(object: T, context: ReconcileContext): Promise<Result> {
    try {
      if (object.metadata.deletionTimestamp !== undefined) return await this.#finalize(object, context);
      const currentObject = await this.#ensureFinalizers(object, context);
      return currentObject === undefined
        ? {}
        : await this.#callReconcile(this.#options.reconcile, currentObject, context);
    } catch (error) {
      // Another client changed the object. A conflict is normal, and the next reconcile reads the change.
      if (!isConflict(error)) throw error;
      context.log.info('object changed during the reconcile, will retry', { reason: String(error) });
      return { retry: true };
    }
  }

  /** Whether the reconcile exceeded its timeout, and the manager is not stopping. */
  #hasTimedOut({ signal }: ReconcileContext): boolean {
    return signal.aborted && !this.#options.abortSignal.aborted;
  }

  /** Calls the error handler. Only logs an error of the handler, which must not hide the error of the reconcile. */
  async #reportError(request: Request<T>, error: unknown, context: ReconcileContext): Promise<void> {
    const { onError, abortSignal } = this.#options;
    const { log } = context;
    if (onError === undefined || abortSignal.aborted) return;
    try {
      await (this.#hasTimedOut(context)
        ? this.#reportTimeout(onError, request, error, context)
        : this.#callHandler(onError, request, error, context));
    } catch (handlerError) {
      if (isConflict(handlerError) || isNotFound(handlerError))
        log.info('object changed, did not report the error', { reason: String(handlerError) });
      else log.error('error handler failed', handlerError);
    }
  }

  /** Calls the error handler with its own signal, because the signal of the reconcile has aborted. */
  #reportTimeout(
    onError: ErrorHandler<T>,
    request: Request<T>,
    cause: unknown,
    context: ReconcileContext,
  ): Promise<void> {
    const { clock, abortSignal } = this.#options;
    const reason = context.signal.reason as Error; // the timeout error of the controller
    const error = new Error(reason.message, cause === undefined ? {} : { cause });
    const timeoutMs = ERROR_HANDLER_TIMEOUT_MS;
    const message = `onError exceeded its timeout of ${timeoutMs} ms`;
    return withTimeoutSignal({ clock, timeoutMs, message, signal: abortSignal }, (signal) =>
      this.#callHandler(onError, request, error, { ...context, signal }),
    );
  }

  async #callHandler(
    onError: ErrorHandler<T>,
    request: Request<T>,
    error: unknown,
    context: ReconcileContext,
  ): Promise<void> {
    const object = await this.#read(request, context.signal); // includes the writes of the reconcile
    if (object !== undefined) await onError(object, error, createObjectContext(object, this.#options, context));
  }

  /**
   * The cache of metadata may lack the newest writes of this process. Before a finalizer runs, the API server must therefore
   * confirm that the object still has the finalizer.
   */
  async #read(request: Request<T>, signal: AbortSignal): Promise<T | undefined> {
    const { client, apiReader, resource, readMetadata } = this.#options;
    if (readMetadata === undefined) return await client.get(resource, request, { signal });
    const cachedObject = await readMetadata(request);
    if (cachedObject?.metadata.deletionTimestamp === undefined) return cachedObject as T | undefined; // T has only metadata
    const object = await apiReader.get(resource, request, { signal });
    return object && this.#toReconciledObject(object);
  }

  #toReconciledObject(object: T): T {
    const { resource, readMetadata } = this.#options;
    return readMetadata === undefined ? object : (toPartialObjectMetadata(resource, object) as T); // T has only metadata
  }

  async #callReconcile(reconcile: ReconcileFunction<T>, object: T, context: ReconcileContext): Promise<Result> {
    return parseResult(await reconcile(object, createObjectContext(object, this.#options, context)));
  }

  /** Adds the missing finalizers and returns the stored object, or `undefined` if the object does not exist. */
  async #ensureFinalizers(object: T, context: ReconcileContext): Promise<T | undefined> {
    const { finalizers = [] } = object.metadata;
    const missingFinalizers = [...this.#options.finalizers.keys()].filter((name) => !finalizers.includes(name));
    return missingFinalizers.length === 0
      ? object
      : await this.#setFinalizers(object, [...finalizers, ...missingFinalizers], context);
  }

  async #finalize(deletedObject: T, context: ReconcileContext): Promise<Result> {
    let object: T | undefined = deletedObject;
    for (const [name, cleanUp] of this.#options.finalizers) {
      const finalizers: readonly string[] = object?.metadata.finalizers ?? [];
      if (object === undefined || !finalizers.includes(name)) continue;
      const result = await this.#runFinalizer(name, cleanUp, object, context);
      if (result.requeueAfterMs !== undefined || result.retry || result.error !== undefined) return result;
      context.log.info('ran finalizer', { finalizer: name });
      const remainingFinalizers = finalizers.filter((finalizer) => finalizer !== name);
      object = await this.#setFinalizers(object, remainingFinalizers, context);
    }
    return {};
  }

  /** Adds the name of the finalizer to an error. A {@link TerminalError} remains a {@link TerminalError}. */
  async #runFinalizer(name: string, cleanUp: Finalizer<T>, object: T, context: ReconcileContext): Promise<Result> {
    try {
      return await this.#callReconcile(cleanUp, object, context);
    } catch (error) {
      const FinalizerError = error instanceof TerminalError ? TerminalError : Error;
      throw new FinalizerError(`run finalizer ${name}`, { cause: error });
    }
  }

  /** Returns `undefined` if the object does not exist. Throws a conflict error if the object has changed. */
  async #setFinalizers(
    { metadata }: T,
    finalizers: readonly string[],
    { signal }: ReconcileContext,
  ): Promise<T | undefined> {
    const { client, resource } = this.#options;
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion, finalizers } } as MergePatch<T>; // every object has these fields
    const key = metadata as typeof metadata & KeyFor<T>; // the metadata of an object contains its key
    try {
      return this.#toReconciledObject(await client.patch(resource, key, { kind: 'merge', body }, { signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
