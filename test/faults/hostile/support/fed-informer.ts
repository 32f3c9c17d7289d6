/** An informer on a connection whose bytes the test makes up, with the cache as the controller sets it up. */
import {
  type ApiRequest,
  Cache,
  type Clock,
  type KubernetesObject,
  keyOf,
  type Resource,
  type Transport,
} from 'controller-runtime';
import { RecordingLogger } from 'controller-runtime/testing';
import { trimCronJob, trimJob } from '../../../../controllers/cache-transforms.ts';
import { indexJobsByOwner } from '../../../../controllers/job-reader.ts';
import { cronJobs, jobs } from '../../../../controllers/resources.ts';

/** A watch that says nothing for so long is given up: the only wait that never ends here. */
const MAX_SILENCE_MS = 150_000;
/** More turns of the event loop than a new watch takes by far. */
const MAX_TURNS = 10_000;

/** All waits are over at once. */
class HurriedClock implements Clock {
  #ms = 0;

  now(): Date {
    return new Date(this.#ms);
  }

  monotonicMs(): number {
    return this.#ms++;
  }

  schedule(delayMs: number, callback: () => void) {
    if (delayMs === MAX_SILENCE_MS) return () => {};
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  }
}

/** What is stored of the one healthy object, and in which version: each connection begins with it. */
export interface Healthy {
  readonly object: KubernetesObject;
  readonly version: string;
}

export class FedInformer implements Transport {
  readonly log = new RecordingLogger();
  readonly #cache: Cache;
  readonly #resource: Resource<KubernetesObject>;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  /** What handlers were told of last, by key. */
  readonly #told = new Map<string, KubernetesObject>();
  #healthy: Healthy;
  #hostile = Promise.withResolvers<readonly Uint8Array[]>();

  constructor(resource: Resource<KubernetesObject>, healthy: Healthy) {
    this.#resource = resource;
    this.#healthy = healthy;
    this.#cache = new Cache({ transport: this, clock: new HurriedClock(), log: this.log });
    this.#cache.configure(cronJobs, { transform: trimCronJob });
    this.#cache.configure(jobs, { transform: trimJob });
    if (resource.kind === jobs.kind) indexJobsByOwner(this.#cache);
    else this.#cache.informerFor(cronJobs);
    const tell = (object: KubernetesObject) => void this.#told.set(keyOf(object.metadata), object);
    this.#cache
      .informerFor(resource)
      .addEventHandler({ onAdd: tell, onUpdate: (_, object) => tell(object), onDelete: () => {} });
    this.#ended = this.#cache.start(this.#stop.signal);
  }

  /** Sends the bytes and cuts the connection; resolves once another one has brought the healthy object in this version. */
  async feed(bytes: readonly Uint8Array[], healthy: Healthy): Promise<void> {
    this.#healthy = healthy;
    const { resolve } = this.#hostile;
    this.#hostile = Promise.withResolvers();
    resolve(bytes);
    await this.caughtUp();
  }

  async caughtUp(): Promise<void> {
    const { metadata } = this.#healthy.object;
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      if (this.get(`${metadata.namespace}/${metadata.name}`)?.metadata.resourceVersion === this.#healthy.version)
        return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`the watch does not come back: ${JSON.stringify(this.log.records.slice(-3))}`);
  }

  get(key: string): KubernetesObject | undefined {
    return this.#cache.informerFor(this.#resource).store.get(key);
  }

  /** What its handlers were told last of the object. */
  told(key: string): KubernetesObject | undefined {
    return this.#told.get(key);
  }

  /** Rejects if the informer has ended by itself. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#hostile.resolve([]);
    await this.#ended;
  }

  async request(): Promise<unknown> {
    return { metadata: { resourceVersion: '1' }, items: [this.#healthyObject] };
  }

  async stream({ query }: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    return this.#connection(query?.['sendInitialEvents'] === true);
  }

  async *#connection(isInitial: boolean): AsyncGenerator<Uint8Array> {
    const hostile = this.#hostile.promise;
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    yield lineOf('ADDED', this.#healthyObject);
    if (isInitial) yield lineOf('BOOKMARK', { metadata: { resourceVersion: '1', annotations } });
    yield* await hostile;
  }

  get #healthyObject(): KubernetesObject {
    const { object, version } = this.#healthy;
    return { ...object, metadata: { ...object.metadata, resourceVersion: version } };
  }
}

export function lineOf(type: string, object: unknown): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}
