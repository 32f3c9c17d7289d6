/** An API server that stores Events, and a recorder that sends Events to it. */
import type { Client, WriteOptions } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { Patch } from '../client/patch.ts';
import type { CoreEvent } from '../events/core-event.ts';
import { EventRecorder, type EventRecorderOptions } from '../events/event-recorder.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';

export const object = (name = 'backup', namespace: string | undefined = 'default'): KubernetesObject => ({
  apiVersion: 'batch.tutorial.kubebuilder.io/v1',
  kind: 'CronJob',
  metadata: {
    name,
    ...(namespace !== undefined && { namespace }),
    uid: `uid-${name}`,
    resourceVersion: '7',
    creationTimestamp: '2030-01-01T00:00:00Z',
  },
});

class EventServer {
  readonly events = new Map<string, CoreEvent>();
  readonly requests: string[] = [];
  readonly priorities = new Set<string | undefined>();
  /** Errors with which the next requests fail, in order. */
  readonly failures: unknown[] = [];
  /** If set, every request waits for this promise. */
  gate: Promise<void> | undefined;
  /** Namespaces in which requests never settle, even after the signal of the request aborts. */
  readonly hanging = new Set<string>();
  /** Namespaces in which requests fail without a response. */
  readonly unreachable = new Set<string>();
  inFlight = 0;
  maxInFlight = 0;

  get client(): EventRecorderOptions['client'] {
    const client: Pick<Client, 'create' | 'patch'> = {
      create: (_, object, options) =>
        this.#answer('create', object.metadata.namespace, options, () =>
          this.#create(object as unknown as CoreEvent),
        ) as Promise<never>,
      patch: (_, key, patch, options) =>
        this.#answer('patch', key.namespace, options, () => this.#patch(key.name, patch as Patch)) as Promise<never>,
    };
    return client;
  }

  get stored(): CoreEvent[] {
    return [...this.events.values()];
  }

  async #answer<R>(verb: string, namespace: string | undefined, options: WriteOptions = {}, work: () => R): Promise<R> {
    this.requests.push(verb);
    this.priorities.add(options.priority);
    this.maxInFlight = Math.max(this.maxInFlight, ++this.inFlight);
    try {
      await this.gate;
      if (this.hanging.has(namespace ?? '')) await new Promise(() => {});
      if (this.unreachable.has(namespace ?? '')) throw new Error('socket hang up');
      options.signal?.throwIfAborted();
      if (this.failures.length > 0) throw this.failures.shift();
      return work();
    } finally {
      this.inFlight--;
    }
  }

  #create(event: CoreEvent): CoreEvent {
    if (this.events.has(event.metadata.name)) throw new ApiError(409, { reason: 'AlreadyExists' });
    this.events.set(event.metadata.name, event);
    return event;
  }

  #patch(name: string, patch: Patch): CoreEvent {
    const stored = this.events.get(name);
    if (stored === undefined) throw new ApiError(404, { reason: 'NotFound' });
    const event = { ...stored, ...(patch.body as Partial<CoreEvent>) };
    this.events.set(name, event);
    return event;
  }
}

export function createRecorder() {
  const server = new EventServer();
  const log = new RecordingLogger();
  const clock = new FakeClock('2030-01-01T00:00:00.500Z');
  const recorder = new EventRecorder({
    client: server.client,
    clock,
    log,
    component: 'cronjob-controller',
    instance: 'pod-1',
  });
  return { server, clock, log, recorder, settle: () => clock.advance(0) };
}
