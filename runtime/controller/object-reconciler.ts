import { isConflict, isNotFound } from '../client/errors.ts';
import type { MergePatch } from '../client/patch.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyFor } from '../kubernetes/resource.ts';
import { type ObjectContext, type ObjectContextOptions, objectContext } from './object-context.ts';
import type { ReconcileContext, Reconciler, Request, Result } from './reconcile.ts';
import { parseResult, TerminalError } from './reconcile.ts';

/** What a reconcile returns: a {@link Result}, or nothing for success. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing promises void
type ReconcileReturn = Promise<Result | void>;

/**
 * Makes the cluster match one object's spec. Must be idempotent: the controller calls it again with back-off after an
 * error, and whenever something may have changed.
 */
export type ReconcileObject<T extends KubernetesObject> = (object: T, context: ObjectContext<T>) => ReconcileReturn;

/** `domain/name`, such as `example.com/website`. */
export type FinalizerName = `${string}.${string}/${string}`;

/**
 * Cleans up for an object that is being deleted. Must be idempotent. The finalizer is done when this returns; a result
 * that requests another call (`requeueAfterMs`, `retry`, `error`) means that it is not.
 */
export type Finalizer<T extends KubernetesObject> = ReconcileObject<T>;

export interface ObjectReconcilerOptions<T extends KubernetesObject> extends ObjectContextOptions<T> {
  readonly reconcile: ReconcileObject<T>;
  /** In the order in which they run. */
  readonly finalizers: ReadonlyMap<FinalizerName, Finalizer<T>>;
}

/** Reads the object, maintains its finalizers, and calls the functions of one object. */
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
      const current = await this.#ensureFinalizers(object, context);
      return current === undefined ? {} : await this.#run(this.#options.reconcile, current, context);
    } catch (error) {
      // Another client wrote first. This is not a fault, and the next pass sees that change.
      if (!isConflict(error)) throw error;
      log.info('object changed during the pass, will retry', { reason: String(error) });
      return { retry: true };
    }
  }

  async #run(reconcile: ReconcileObject<T>, object: T, context: ReconcileContext): Promise<Result> {
    return parseResult(await reconcile(object, objectContext(object, this.#options, context)));
  }

  /** Returns the object with all finalizers after storing them, or `undefined` when it is gone. */
  async #ensureFinalizers(object: T, context: ReconcileContext): Promise<T | undefined> {
    const { finalizers = [] } = object.metadata;
    const missing = [...this.#options.finalizers.keys()].filter((name) => !finalizers.includes(name));
    return missing.length === 0 ? object : await this.#setFinalizers(object, [...finalizers, ...missing], context);
  }

  /** Runs the remaining finalizers, one after the other. */
  async #finalize(deleted: T, context: ReconcileContext): Promise<Result> {
    let object: T | undefined = deleted;
    for (const [name, cleanUp] of this.#options.finalizers) {
      const finalizers: readonly string[] = object?.metadata.finalizers ?? [];
      if (object === undefined || !finalizers.includes(name)) continue;
      const result = await this.#cleanUp(name, cleanUp, object, context);
      if (result.requeueAfterMs !== undefined || result.retry || result.error !== undefined) return result;
      context.log.info('ran finalizer', { finalizer: name });
      const others = finalizers.filter((finalizer) => finalizer !== name);
      object = await this.#setFinalizers(object, others, context);
    }
    return {};
  }

  /** Adds the finalizer's name to an error; a {@link TerminalError} stays terminal. */
  async #cleanUp(name: string, cleanUp: ReconcileObject<T>, object: T, context: ReconcileContext): Promise<Result> {
    try {
      return await this.#run(cleanUp, object, context);
    } catch (error) {
      const FinalizerError = error instanceof TerminalError ? TerminalError : Error;
      throw new FinalizerError(`run finalizer ${name}`, { cause: error });
    }
  }

  /**
   * Returns `undefined` when the object is gone. The server answers 409 when another client has changed the object
   * since it was read.
   */
  async #setFinalizers(
    { metadata }: T,
    finalizers: readonly string[],
    { signal }: ReconcileContext,
  ): Promise<T | undefined> {
    const { client, resource } = this.#options;
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion, finalizers } } as MergePatch<T>; // every object has these
    const key = metadata as typeof metadata & KeyFor<T>; // the metadata of an object of T
    try {
      return await client.patch(resource, key, { kind: 'merge', body }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
