import type { EventHandler } from '../cache/event-handler.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type ObjectKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';
import type { MapToRequests } from './map-to-requests.ts';
import type { Predicate } from './predicate.ts';
import type { StatusWrites } from './status-writes.ts';

/** Returns the priority of an event about `object`. For an update, `oldObject` is the object before the update. */
export type PriorityFunction<T> = (object: T, oldObject?: T) => Priority;

export interface EnqueuingHandlerOptions<T> {
  readonly toRequests: MapToRequests<T>;
  readonly predicates: readonly Predicate<T>[];
  readonly priority?: PriorityFunction<T>;
  readonly enqueue: (key: string, priority: Priority) => void;
  /** Shortens the back-off of an object that a deletion affects. Default: a deletion does not change the back-off. */
  readonly shortenBackOff?: (key: string) => void;
  /** Holds back the update events of the controller's own status writes. Default: every update starts a reconcile. */
  readonly statusWrites?: Pick<StatusWrites, 'hold'>;
  readonly onResume: () => void;
  /** Logger with the name of the controller as a field. */
  readonly log: Logger;
}

/**
 * Handles the events of one kind, and adds the objects to reconcile to the queue. Logs the errors of predicates and
 * mappers.
 */
export class EnqueuingHandler<T extends KubernetesObject> implements EventHandler<T> {
  readonly #options: EnqueuingHandlerOptions<T>;

  constructor(options: EnqueuingHandlerOptions<T>) {
    this.#options = options;
  }

  onAdd(object: T): void {
    if (this.#isAccepted(object, ({ onAdd }) => onAdd?.(object))) this.#enqueue(object);
  }

  onUpdate(oldObject: T, object: T): void {
    // Enqueues the keys for the old and for the new object, because the mapper may return different keys. Each key is
    // added only once, because the first add already starts a reconcile.
    if (!this.#isAccepted(object, ({ onUpdate }) => onUpdate?.(oldObject, object))) return;
    const enqueue = () => this.#enqueue(object, oldObject);
    if (!this.#options.statusWrites?.hold(formatKey(object), object, enqueue)) enqueue();
  }

  onDelete(object: T): void {
    if (this.#isAccepted(object, ({ onDelete }) => onDelete?.(object)))
      this.#enqueue(object, undefined, this.#options.shortenBackOff);
  }

  onResume(): void {
    this.#options.onResume();
  }

  /** Accepts the event if a predicate throws, because a missing reconcile is worse than an extra reconcile. */
  #isAccepted(object: T, evaluate: (predicate: Predicate<T>) => boolean | undefined): boolean {
    for (const predicate of this.#options.predicates) {
      try {
        if (evaluate(predicate) === false) return false;
      } catch (error) {
        this.#logError('predicate failed, accepted the event', error, object);
      }
    }
    return true;
  }

  #enqueue(object: T, oldObject?: T, beforeEnqueue?: (key: string) => void): void {
    const oldKeys = oldObject === undefined ? NO_KEYS : this.#mapToKeys(oldObject);
    const newKeys = this.#mapToKeys(object);
    const priority = this.#computePriority(object, oldObject);
    const add = (key: string) => {
      beforeEnqueue?.(key);
      this.#options.enqueue(key, priority);
    };
    if (isPromise(oldKeys) || isPromise(newKeys)) void addKeysAfterMapping(oldKeys, newKeys, add);
    else addKeys(oldKeys, newKeys, add);
  }

  /** Returns the normal priority if the priority function throws. */
  #computePriority(object: T, oldObject: T | undefined): Priority {
    try {
      return this.#options.priority?.(object, oldObject) ?? 'normal';
    } catch (error) {
      this.#logError('priority function failed, used the normal priority', error, object);
      return 'normal';
    }
  }

  /** Returns an empty list if the mapper fails. */
  #mapToKeys(object: T): Keys | Promise<Keys> {
    try {
      const requests = this.#options.toRequests(object);
      return isPromise(requests) ? this.#awaitKeys(requests, object) : requests.map(formatKey);
    } catch (error) {
      return this.#handleMapperError(error, object);
    }
  }

  async #awaitKeys(requests: Promise<readonly ObjectKey[]>, object: T): Promise<Keys> {
    try {
      return (await requests).map(formatKey);
    } catch (error) {
      return this.#handleMapperError(error, object);
    }
  }

  #handleMapperError(error: unknown, object: T): Keys {
    this.#logError('mapper failed, dropped the event', error, object);
    return NO_KEYS;
  }

  #logError(message: string, error: unknown, { kind, metadata: { namespace, name } }: T): void {
    this.#options.log.error(message, error, { kind, namespace, name });
  }
}

async function addKeysAfterMapping(
  oldKeys: Keys | Promise<Keys>,
  newKeys: Keys | Promise<Keys>,
  addKey: AddKeyFunction,
): Promise<void> {
  addKeys(await oldKeys, await newKeys, addKey);
}

function addKeys(oldKeys: Keys, newKeys: Keys, addKey: AddKeyFunction): void {
  for (const key of oldKeys) addKey(key);
  for (const key of newKeys) {
    if (!oldKeys.includes(key)) addKey(key);
  }
}

type Keys = readonly string[];
type AddKeyFunction = (key: string) => void;

const NO_KEYS: Keys = [];

function isPromise<V>(value: V | Promise<V>): value is Promise<V> {
  return value instanceof Promise;
}
