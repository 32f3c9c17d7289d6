import { isConflict, isNotFound } from '../client/errors.ts';
import type { MergePatch } from '../client/patch.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyFor } from '../kubernetes/resource.ts';
import { createObjectContext, type ObjectContext, type ObjectContextOptions } from './object-context.ts';
import type { ReconcileContext, Reconciler, Request, Result } from './reconcile.ts';
import { parseResult, TerminalError } from './reconcile.ts';

/** The return type of a reconcile function: a {@link Result}, or nothing after success. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing promises void
type ReconcileReturn = Promise<Result | void>;

/**
 * Makes the cluster match the spec of one object. Must be idempotent, because the controller calls the function again
 * after an error and after every change that may matter.
 */
export type ReconcileObject<T extends KubernetesObject> = (object: T, context: ObjectContext<T>) => ReconcileReturn;

/** Name of a finalizer with its domain, such as `example.com/website`. */
export type FinalizerName = `${string}.${string}/${string}`;

/**
 * Cleans up for an object that is being deleted. Must be idempotent. The controller removes the finalizer after the
 * function returns, unless its result requests another call (`requeueAfterMs`, `retry` or `error`).
 */
export type Finalizer<T extends KubernetesObject> = ReconcileObject<T>;

export interface ObjectReconcilerOptions<T extends KubernetesObject> extends ObjectContextOptions<T> {
  readonly reconcile: ReconcileObject<T>;
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
    const { client, resource } = this.#options;
    const { log, signal } = context;
    const object = await client.get(resource, request, { signal });
    if (object === undefined) return {};
    try {
      if (object.metadata.deletionTimestamp !== undefined) return await this.#finalize(object, context);
      const currentObject = await this.#ensureFinalizers(object, context);
      return currentObject === undefined
        ? {}
        : await this.#callReconcile(this.#options.reconcile, currentObject, context);
    } catch (error) {
      // Another client changed the object. A conflict is normal, and the next pass reads the change.
      if (!isConflict(error)) throw error;
      log.info('object changed during the pass, will retry', { reason: String(error) });
      return { retry: true };
    }
  }

  async #callReconcile(reconcile: ReconcileObject<T>, object: T, context: ReconcileContext): Promise<Result> {
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
    const key = metadata as typeof metadata & KeyFor<T>; // an object of type T has the key of a T
    try {
      return await client.patch(resource, key, { kind: 'merge', body }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
