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

/** The context of one pass over one object. You can destructure the context: `({ apply, status, now })`. */
export interface ObjectContext<T extends KubernetesObject> extends ReconcileContext {
  /** A client that reads from the cache and writes to the API server. */
  readonly client: CachedReader & Writer;
  /** A client that reads from the API server. */
  readonly apiReader: LiveReader;
  /** The time of this pass. All decisions of a pass should use this time instead of the clock. */
  readonly now: Date;
  /** Clock of the manager. Use it instead of `Date.now()`, so that tests can use a `FakeClock`. */
  readonly clock: Clock;
  /** Records an Event about the object. Does not wait for the API server, and never throws. */
  readonly event: (type: EventType, reason: string, message: string) => void;
  /**
   * Creates or changes an object with server-side apply, and makes the reconciled object its controller owner. The
   * manager takes over the fields in `configuration` from other field managers. The default namespace is the namespace
   * of the reconciled object. Returns the stored object.
   */
  readonly apply: <U extends KubernetesObject>(
    resource: Resource<U>,
    configuration: OwnedConfiguration<U>,
  ) => Promise<U>;
  /**
   * Stores the complete status if it differs from the stored status. Call this function once per pass with the final
   * status. A second call with a different status throws.
   */
  readonly status: (newStatus: StatusUpdate<T>['status']) => Promise<void>;
}

export interface ObjectContextOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly clock: Clock;
  readonly recorder: Pick<EventRecorder, 'event'>;
}

export function createObjectContext<T extends KubernetesObject>(
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
    apply: (appliedResource, configuration) => applyOwned(client, object, appliedResource, configuration, signal),
    status: async (newStatus) => {
      const status = toStoredJson(newStatus);
      if (writtenStatus !== undefined) {
        if (isDeepStrictEqual(status, writtenStatus)) return;
        throw new Error('status: called twice in one pass with different values');
      }
      if (isDeepStrictEqual(status, toStoredJson((object as { readonly status?: unknown }).status))) return;
      writtenStatus = status;
      const metadata = object.metadata as typeof object.metadata & KeyFor<T>; // an object of type T has the key of a T
      await client.updateStatus(resource, { metadata, status: newStatus }, { signal });
    },
  };
}

/** Returns the status as the API server stores it: without undefined and null, and with dates as text. */
function toStoredJson(status: unknown): unknown {
  if (status === undefined) return undefined;
  return JSON.parse(JSON.stringify(status, (_, value: unknown) => value ?? undefined));
}
