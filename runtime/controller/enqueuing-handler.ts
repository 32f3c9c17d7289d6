import type { EventHandler } from '../cache/informer.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type ObjectKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';
import type { MapToRequests } from './handler.ts';
import type { Predicate } from './predicate.ts';

/** Priority of a change of `object`. `old` is its state before an update. */
export type PriorityFunction<T> = (object: T, old?: T) => Priority;

export interface EnqueuingHandlerOptions<T> {
  readonly toRequests: MapToRequests<T>;
  readonly predicates: readonly Predicate<T>[];
  readonly priority?: PriorityFunction<T>;
  readonly enqueue: (key: string, priority: Priority) => void;
  /**
   * Shortens the back-off of the objects that a deletion affects. Absent when a deletion does not affect their
   * back-off.
   */
  readonly shortenBackOff?: (key: string) => void;
  readonly onResume: () => void;
  /** Has the controller's name as a field. */
  readonly log: Logger;
}

/** Enqueues the requests for events of one kind. Logs an error in a predicate or a mapper, and does not rethrow it. */
export class EnqueuingHandler<T extends KubernetesObject> implements EventHandler<T> {
  readonly #options: EnqueuingHandlerOptions<T>;

  constructor(options: EnqueuingHandlerOptions<T>) {
    this.#options = options;
  }

  onAdd(object: T): void {
    if (this.#accepts(object, ({ onAdd }) => onAdd?.(object))) this.#enqueue(object);
  }

  onUpdate(old: T, object: T): void {
    // Enqueues for both states, because the relation may have changed; each key once, because a free worker takes it at
    // the first add.
    if (this.#accepts(object, ({ onUpdate }) => onUpdate?.(old, object))) this.#enqueue(object, old);
  }

  onDelete(object: T): void {
    if (this.#accepts(object, ({ onDelete }) => onDelete?.(object)))
      this.#enqueue(object, undefined, this.#options.shortenBackOff);
  }

  onResume(): void {
    this.#options.onResume();
  }

  /** Accepts the event if a predicate fails: an extra pass does no harm, a missing one does. */
  #accepts(object: T, evaluate: (predicate: Predicate<T>) => boolean | undefined): boolean {
    for (const predicate of this.#options.predicates) {
      try {
        if (evaluate(predicate) === false) return false;
      } catch (error) {
        this.#logError('predicate failed, accepted the event', error, object);
      }
    }
    return true;
  }

  #enqueue(object: T, old?: T, prepare?: (key: string) => void): void {
    const oldKeys = old === undefined ? NONE : this.#keysFor(old);
    const newKeys = this.#keysFor(object);
    const priority = this.#computePriority(object, old);
    const add = (key: string) => {
      prepare?.(key);
      this.#options.enqueue(key, priority);
    };
    if (isPromise(oldKeys) || isPromise(newKeys)) void addAfterMapping(oldKeys, newKeys, add);
    else addKeys(oldKeys, newKeys, add);
  }

  /** Returns the normal priority if the function fails. */
  #computePriority(object: T, old: T | undefined): Priority {
    try {
      return this.#options.priority?.(object, old) ?? 'normal';
    } catch (error) {
      this.#logError('priority function failed, used the normal priority', error, object);
      return 'normal';
    }
  }

  /** Neither throws nor rejects. */
  #keysFor(object: T): Keys | Promise<Keys> {
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
    return NONE;
  }

  #logError(message: string, error: unknown, { kind, metadata: { namespace, name } }: T): void {
    this.#options.log.error(message, error, { kind, namespace, name });
  }
}

async function addAfterMapping(before: Keys | Promise<Keys>, now: Keys | Promise<Keys>, add: AddKey): Promise<void> {
  addKeys(await before, await now, add);
}

function addKeys(before: Keys, now: Keys, add: AddKey): void {
  for (const key of before) add(key);
  for (const key of now) {
    if (!before.includes(key)) add(key);
  }
}

type Keys = readonly string[];
type AddKey = (key: string) => void;

const NONE: Keys = [];

function isPromise<V>(value: V | Promise<V>): value is Promise<V> {
  return value instanceof Promise;
}
