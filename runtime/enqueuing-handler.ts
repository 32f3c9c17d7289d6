import type { EventHandler } from './cache/informer.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from './client/object.ts';
import type { MapToRequests } from './handler.ts';
import type { Logger } from './log/logger.ts';
import type { Predicate } from './predicate.ts';

export interface EnqueuingHandlerOptions<T> {
  readonly toRequests: MapToRequests<T>;
  readonly predicates: readonly Predicate<T>[];
  readonly enqueue: (key: string) => void;
  readonly onResume: () => void;
  /** Names the controller. */
  readonly log: Logger;
}

/** Enqueues what the events of one kind concern. An error in a predicate or a mapper ends here, in the log. */
export class EnqueuingHandler<T extends KubernetesObject> implements EventHandler<T> {
  readonly #options: EnqueuingHandlerOptions<T>;

  constructor(options: EnqueuingHandlerOptions<T>) {
    this.#options = options;
  }

  onAdd(object: T): void {
    if (this.#lets(object, ({ onAdd }) => onAdd?.(object))) this.#enqueue(object);
  }

  onUpdate(old: T, object: T): void {
    // Both, because it may have moved; each key once, because a free worker takes it at the first add.
    if (this.#lets(object, ({ onUpdate }) => onUpdate?.(old, object))) this.#enqueue(old, object);
  }

  onDelete(object: T): void {
    if (this.#lets(object, ({ onDelete }) => onDelete?.(object))) this.#enqueue(object);
  }

  onResume(): void {
    this.#options.onResume();
  }

  /** What a predicate cannot judge is let through: a pass too many does no harm, one too few does. */
  #lets(object: T, judge: (predicate: Predicate<T>) => boolean | undefined): boolean {
    return this.#options.predicates.every((predicate) => {
      try {
        return judge(predicate) ?? true;
      } catch (error) {
        this.#logError('predicate failed, event let through', error, object);
        return true;
      }
    });
  }

  #enqueue(...objects: readonly T[]): void {
    const mapped = objects.map((object) => this.#keysFor(object));
    if (mapped.every((keys) => Array.isArray(keys))) this.#addEach(mapped);
    else void Promise.all(mapped).then((keys) => this.#addEach(keys));
  }

  #addEach(keys: readonly (readonly string[])[]): void {
    for (const key of new Set(keys.flat())) this.#options.enqueue(key);
  }

  /** Neither throws nor rejects. */
  #keysFor(object: T): readonly string[] | Promise<readonly string[]> {
    const failed = (error: unknown) => {
      this.#logError('mapper failed, event reconciles nothing', error, object);
      return [];
    };
    try {
      const requests = this.#options.toRequests(object);
      return isPromise(requests) ? requests.then(keysOf).catch(failed) : keysOf(requests);
    } catch (error) {
      return failed(error);
    }
  }

  #logError(message: string, error: unknown, { kind, metadata: { namespace, name } }: T): void {
    this.#options.log.error(message, error, { kind, namespace, name });
  }
}

function keysOf(requests: readonly ObjectKey[]): readonly string[] {
  return requests.map(keyOf);
}

function isPromise<V>(value: V | Promise<V>): value is Promise<V> {
  return value instanceof Promise;
}
