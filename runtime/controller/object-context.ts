/** The context of the reconcile of one object. */
import { isDeepStrictEqual } from 'node:util';
import type { CachedReader, LiveReader, StatusUpdate, Writer } from '../client/client.ts';
import type { OwnedConfiguration } from '../client/patch.ts';
import type { Clock } from '../clock/clock.ts';
import type { EventType } from '../events/core-event.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { KeyFor, Resource } from '../kubernetes/resource.ts';
import { applyOwned } from './apply.ts';
import type { ReconcileContext } from './reconcile.ts';

/** The functions do not use `this`, so you can destructure the ones you need: `({ apply, status, now })`. */
export interface ObjectContext<T extends KubernetesObject> extends ReconcileContext {
  /** Reads from the cache, writes to the API server. */
  readonly client: CachedReader & Writer;
  /** Reads from the API server. */
  readonly apiReader: LiveReader;
  /** The time of this pass. A pass that reads the clock twice may decide on two different times. */
  readonly now: Date;
  readonly clock: Clock;
  /** Records an Event about the object. Returns at once and never throws. */
  readonly event: (type: EventType, reason: string, message: string) => void;
  /**
   * Creates an object that the reconciled object owns and controls, or changes the fields that `configuration` sets, by
   * server-side apply. The object uses the same namespace unless it names one; the manager owns the fields and takes
   * them over from other owners. Returns the stored object.
   */
  readonly apply: <U extends KubernetesObject>(
    resource: Resource<U>,
    configuration: OwnedConfiguration<U>,
  ) => Promise<U>;
  /**
   * Stores the complete status if it differs from the stored one. Call it once per pass, with the final status: a
   * second, different status is an error.
   */
  readonly status: (next: StatusUpdate<T>['status']) => Promise<void>;
}

export interface ObjectContextOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly clock: Clock;
  readonly recorder: Pick<EventRecorder, 'event'>;
}

/** Creates the context of one pass over `object`. */
export function objectContext<T extends KubernetesObject>(
  object: T,
  { resource, client, apiReader, clock, recorder }: ObjectContextOptions<T>,
  { log, signal, tryContinueAtLowPriority, hasWaitingObjects }: ReconcileContext,
): ObjectContext<T> {
  let writtenStatus: unknown;
  return {
    client,
    apiReader,
    log,
    signal,
    tryContinueAtLowPriority,
    hasWaitingObjects,
    clock,
    now: clock.now(),
    event: (type, reason, message) => recorder.event(object, type, reason, message),
    apply: (applied, configuration) => applyOwned(client, object, applied, configuration, signal),
    status: async (next) => {
      const status = toStoredJson(next);
      if (writtenStatus !== undefined) {
        if (isDeepStrictEqual(status, writtenStatus)) return;
        throw new Error('status: called twice in one pass with different values');
      }
      if (isDeepStrictEqual(status, toStoredJson((object as { readonly status?: unknown }).status))) return;
      writtenStatus = status;
      const metadata = object.metadata as typeof object.metadata & KeyFor<T>; // the metadata of an object of T
      await client.updateStatus(resource, { metadata, status: next }, { signal });
    },
  };
}

/** Returns the status as the API server returns it: without undefined or null, dates as text. */
function toStoredJson(status: unknown): unknown {
  if (status === undefined) return undefined;
  return JSON.parse(JSON.stringify(status, (_, value: unknown) => value ?? undefined));
}
