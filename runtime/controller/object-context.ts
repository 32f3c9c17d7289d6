import { isDeepStrictEqual } from 'node:util';
import type { CachedReader, LiveReader, StatusUpdate, Writer } from '../client/client.ts';
import type { OwnedConfiguration } from '../client/patch.ts';
import type { Clock } from '../clock/clock.ts';
import type { EventDetails, EventType } from '../events/core-event.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { KubernetesObject, SpecOf } from '../kubernetes/object.ts';
import { formatKey, type KeyFor, type Resource } from '../kubernetes/resource.ts';
import type { Kind } from '../schema/kind.ts';
import { applyOwned } from './apply-owned.ts';
import type { ReconcileContext } from './reconcile.ts';
import type { StatusWrites } from './status-writes.ts';

/** The context of one reconcile of one object. You can destructure the context: `({ apply, status, now })`. */
export interface ObjectContext<T extends KubernetesObject> extends ReconcileContext {
  /** A client that reads from the cache and writes to the API server. */
  readonly client: CachedReader & Writer;
  /** A client that reads from the API server. */
  readonly apiReader: LiveReader;
  /** Time at which this reconcile started. Use this time instead of the clock for all decisions of the reconcile. */
  readonly now: Date;
  /** Clock of the manager. Use this clock instead of `Date.now()`, so that tests can use a `FakeClock`. */
  readonly clock: Clock;
  /** Records an Event about the object. Does not wait for the API server, and never throws. */
  readonly event: (type: EventType, reason: string, message: string, details?: EventDetails) => void;
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
   * Writes the complete status if it differs from the stored status. You can call this function several times in a
   * reconcile, for example before and after a long step. Rejects while an earlier call is in progress.
   */
  readonly status: (newStatus: StatusUpdate<T>['status']) => Promise<void>;
}

export interface ObjectContextOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly clock: Clock;
  readonly recorder: Pick<EventRecorder, 'event'>;
  /** All reconciles of the controller share this object. */
  readonly statusWrites: StatusWrites;
}

export function createObjectContext<T extends KubernetesObject>(
  object: T,
  { resource, client, apiReader, clock, recorder, statusWrites }: ObjectContextOptions<T>,
  { log, cluster, signal, tryContinueAtLowPriority, hasWaitingObjects }: ReconcileContext,
): ObjectContext<T> {
  let { metadata } = object;
  let storedStatus = toStoredJson((object as { readonly status?: unknown }).status);
  return {
    client,
    apiReader,
    log,
    cluster,
    signal,
    tryContinueAtLowPriority,
    hasWaitingObjects,
    clock,
    now: clock.now(),
    event: (...event) => recorder.event(object, ...event),
    apply: (appliedResource, configuration) => applyOwned(client, object, appliedResource, configuration, signal),
    status: async (newStatus) => {
      const status = toStoredJson(newStatus);
      if (isDeepStrictEqual(status, storedStatus)) return;
      const ref = { metadata: metadata as T['metadata'] & KeyFor<T>, status: newStatus }; // the metadata of an object contains its key
      const update = { ...ref, ...(hasSeveralVersions(resource) && pickSpec(object)) };
      const written = await statusWrites.write(formatKey(object), () =>
        client.updateStatus(resource, update, { signal }),
      );
      ({ metadata } = written);
      storedStatus = status;
    },
  };
}

/** Only a kind from `defineKind` has `versions`. */
function hasSeveralVersions(resource: Resource & Partial<Pick<Kind, 'versions'>>): boolean {
  return Object.keys(resource.versions ?? {}).length > 0;
}

function pickSpec<T>(object: T & { readonly spec?: SpecOf<T> }): { readonly spec?: SpecOf<T> } {
  return object.spec === undefined ? {} : { spec: object.spec };
}

/** Returns the status as the API server stores it: without undefined and null, and with dates as text. */
function toStoredJson(status: unknown): unknown {
  if (status === undefined) return undefined;
  return JSON.parse(JSON.stringify(status, (_, value: unknown) => value ?? undefined));
}
