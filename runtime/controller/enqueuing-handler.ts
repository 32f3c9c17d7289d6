import type { EventHandler } from '../cache/informer.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { keyOf, type ObjectKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { Priority } from '../workqueue/work-queue.ts';
import type { MapToRequests } from './handler.ts';
import type { Predicate } from './predicate.ts';

/** Priority of a change of `object`. `old` is its state before an update. */
export type PriorityOf<T> = (object: T, old?: T) => Priority;

export interface EnqueuingHandlerOptions<T> {
  readonly toRequests: MapToRequests<T>;
  readonly predicates: readonly Predicate<T>[];
  readonly priority?: PriorityOf<T>;
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
    if (this.#lets(object, ({ onAdd }) => onAdd?.(object))) this.#enqueue(object);
  }

  onUpdate(old: T, object: T): void {
    // Enqueues for both states, because the relation may have changed; each key once, because a free worker takes it at
    // the first add.
    if (this.#lets(object, ({ onUpdate }) => onUpdate?.(old, object))) this.#enqueue(object, old);
  }

  onDelete(object: T): void {
    if (this.#lets(object, ({ onDelete }) => onDelete?.(object)))
      this.#enqueue(object, undefined, this.#options.shortenBackOff);
  }

  onResume(): void {
    this.#options.onResume();
  }

  /** Accepts the event if a predicate fails: an extra pass does no harm, a missing one does. */
  #lets(object: T, judge: (predicate: Predicate<T>) => boolean | undefined): boolean {
    for (const predicate of this.#options.predicates) {
      try {
        if (judge(predicate) === false) return false;
      } catch (error) {
        this.#logError('predicate failed, accepted the event', error, object);
      }
    }
    return true;
  }

  #enqueue(object: T, old?: T, prepare?: (key: string) => void): void {
    const before = old === undefined ? NONE : this.#keysFor(old);
    const now = this.#keysFor(object);
    const priority = this.#priorityOf(object, old);
    const add = (key: string) => {
      prepare?.(key);
      this.#options.enqueue(key, priority);
    };
    if (isPromise(before) || isPromise(now)) void addLater(before, now, add);
    else addEach(before, now, add);
  }

  /** Returns the normal priority if the function fails. */
  #priorityOf(object: T, old: T | undefined): Priority {
    try {
      return this.#options.priority?.(object, old) ?? 'normal';
    } catch (error) {
      this.#logError('priority of an event failed, took it for normal', error, object);
      return 'normal';
    }
  }

  /** Neither throws nor rejects. */
  #keysFor(object: T): Keys | Promise<Keys> {
    try {
      const requests = this.#options.toRequests(object);
      return isPromise(requests) ? this.#keysLater(requests, object) : requests.map(keyOf);
    } catch (error) {
      return this.#mapperFailed(error, object);
    }
  }

  async #keysLater(requests: Promise<readonly ObjectKey[]>, object: T): Promise<Keys> {
    try {
      return (await requests).map(keyOf);
    } catch (error) {
      return this.#mapperFailed(error, object);
    }
  }

  #mapperFailed(error: unknown, object: T): Keys {
    this.#logError('mapper failed, dropped the event', error, object);
    return NONE;
  }

  #logError(message: string, error: unknown, { kind, metadata: { namespace, name } }: T): void {
    this.#options.log.error(message, error, { kind, namespace, name });
  }
}

async function addLater(before: Keys | Promise<Keys>, now: Keys | Promise<Keys>, add: Add): Promise<void> {
  addEach(await before, await now, add);
}

function addEach(before: Keys, now: Keys, add: Add): void {
  for (const key of before) add(key);
  for (const key of now) {
    if (!before.includes(key)) add(key);
  }
}

type Keys = readonly string[];
type Add = (key: string) => void;

const NONE: Keys = [];

function isPromise<V>(value: V | Promise<V>): value is Promise<V> {
  return value instanceof Promise;
}
