/** The caches of a process: real stores that get their events late and in order. */
import type { Cache } from '../../runtime/cache/cache.ts';
import type { EventHandler } from '../../runtime/cache/event-handler.ts';
import type { Informer, Transform } from '../../runtime/cache/informer.ts';
import { Store } from '../../runtime/cache/store.ts';
import type { CachedListOptions, CachedReader } from '../../runtime/client/client.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { getControllerReference, type KubernetesObject } from '../../runtime/kubernetes/object.ts';
import { formatKey, type ObjectKey, type Resource } from '../../runtime/kubernetes/resource.ts';
import type { ObjectChange, ObjectCollection } from './collection.ts';
import type { Machine } from './machine.ts';
import type { SimulatedNetwork } from './network.ts';
import { stripNullFields } from './strip-null-fields.ts';

export interface DelayedInformerOptions<T extends KubernetesObject> {
  readonly collection: ObjectCollection<T>;
  readonly clock: Clock;
  /** The machine of the process. Without a machine it is always awake. */
  readonly machine?: Machine;
  readonly network: SimulatedNetwork;
  readonly transform: Transform<T>;
  readonly isAlive: () => boolean;
}

/** Replaces Informer in the simulation: the same store, the same handlers, but another source of events. */
export class DelayedInformer<T extends KubernetesObject>
  implements Pick<Informer<T>, 'applyTransform' | 'isInScope' | 'isAwaited' | 'addEventHandler' | 'addIndex'>
{
  readonly store = new Store<T>();
  readonly #options: DelayedInformerOptions<T>;
  readonly #handlers: EventHandler<T>[] = [];
  readonly #stop: () => void;
  #undelivered = 0;
  #lastArrivalMs = 0;
  #deliveredVersion = 0;

  /** Starts with the stored objects; later changes come late. */
  constructor(options: DelayedInformerOptions<T>) {
    this.#options = options;
    for (const object of options.collection.list()) this.store.upsert(this.applyTransform(stripNullFields(object)));
    this.#stop = options.collection.listen((change) => this.#scheduleDelivery(change));
  }

  /** Whether no event is on its way. */
  get isCaughtUp(): boolean {
    return this.#undelivered === 0;
  }

  addIndex(...index: Parameters<Store<T>['addIndex']>): void {
    this.store.addIndex(...index);
  }

  addEventHandler(handler: EventHandler<T>): void {
    this.#handlers.push(handler);
    for (const object of this.store.list()) handler.onAdd(object);
  }

  stop(): void {
    this.#stop();
  }

  #scheduleDelivery(change: ObjectChange<T>): void {
    if (change.old === change.object) return; // the API server sends no event when nothing changed
    const { clock, machine, network } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, nowMs + network.drawLagMs(getCronJobKey(change)));
    this.#undelivered++;
    clock.schedule(this.#lastArrivalMs - nowMs, () => {
      if (machine === undefined) this.#deliver(change);
      else machine.receive(() => this.#deliver(change));
    });
  }

  #deliver(change: ObjectChange<T>): void {
    this.#undelivered--;
    if (this.#options.isAlive()) this.#apply(change);
  }

  /** The simulation has no selectors. */
  isInScope(): boolean {
    return true;
  }

  isAwaited({ metadata }: T): boolean {
    return Number(metadata.resourceVersion) > this.#deliveredVersion;
  }

  applyTransform(object: T): T {
    return this.#options.transform(object, this.store.get(formatKey(object)));
  }

  #apply({ old, object }: ObjectChange<T>): void {
    if (object === undefined) {
      const last = old && this.store.remove(formatKey(old));
      if (last !== undefined) for (const handler of this.#handlers) handler.onDelete(last);
      return;
    }
    this.#deliveredVersion = Math.max(this.#deliveredVersion, Number(object.metadata.resourceVersion));
    const incoming = this.applyTransform(stripNullFields(object));
    const previous = this.store.upsert(incoming);
    for (const handler of this.#handlers) {
      if (previous === undefined) handler.onAdd(incoming);
      else handler.onUpdate(previous, incoming);
    }
  }
}

/** The informers of one process, by the plural of their kind. */
export class DelayedCache implements CachedReader {
  readonly #informers: ReadonlyMap<string, DelayedInformer<KubernetesObject>>;

  constructor(informers: Readonly<Record<string, unknown>>) {
    // The key of each entry is the resource of its T.
    this.#informers = new Map(Object.entries(informers as Record<string, DelayedInformer<KubernetesObject>>));
  }

  /** For callers that need the real cache type. They use only the methods that exist here. */
  get asCache(): Cache {
    return this as unknown as Cache;
  }

  get isCaughtUp(): boolean {
    return [...this.#informers.values()].every((informer) => informer.isCaughtUp);
  }

  has({ plural }: Resource): boolean {
    return this.#informers.has(plural);
  }

  informerFor<T extends KubernetesObject>({ plural }: Resource<T>): Informer<T> {
    const informer = this.#informers.get(plural);
    if (informer === undefined) throw new Error(`the simulation has no informer of ${plural}`);
    return informer as unknown as Informer<T>; // of the same shape, as far as controllers use it
  }

  async get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    return this.informerFor(resource).store.get(formatKey(key));
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    { index }: CachedListOptions = {},
  ): Promise<readonly T[]> {
    const { store } = this.informerFor(resource);
    return index === undefined ? store.list() : store.byIndex(index.name, index.value);
  }

  stop(): void {
    for (const informer of this.#informers.values()) informer.stop();
  }
}

/** Key of the CronJob that a change belongs to. */
function getCronJobKey({ old, object }: ObjectChange<KubernetesObject>): string {
  const changed = object ?? old;
  if (changed === undefined) return '';
  const owner = getControllerReference(changed);
  return formatKey(owner === undefined ? changed : { ...changed.metadata, name: owner.name });
}
