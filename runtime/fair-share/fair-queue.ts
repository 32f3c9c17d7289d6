/**
 * Waiting items, each in the queue of its flow. Flows take turns; within a flow, items are first come, first served. So
 * a flow with ten thousand items does not delay others.
 */
export class FairQueue<T> {
  /**
   * In the order of their turns. Empty queues are removed, because over time there may be as many flows as namespaces.
   */
  readonly #queues = new Map<string, Set<T>>();
  #size = 0;

  /** Number of waiting items in all queues. */
  get size(): number {
    return this.#size;
  }

  /** Whether an item waits in the queue of `flow`. */
  has(flow: string): boolean {
    return this.#queues.has(flow);
  }

  /** Adds `item` at the end of its queue. An item that already waits keeps its place. */
  add(flow: string, item: T): void {
    const queue = this.#queues.get(flow);
    if (queue?.has(item)) return;
    if (queue) queue.add(item);
    else this.#queues.set(flow, new Set([item]));
    this.#size++;
  }

  /** Removes `item` from its queue; false when it is not in the queue. */
  delete(flow: string, item: T): boolean {
    const queue = this.#queues.get(flow);
    if (!queue?.delete(item)) return false;
    if (queue.size === 0) this.#queues.delete(flow);
    this.#size--;
    return true;
  }

  /**
   * Removes and returns the first item of the next eligible flow. Other flows keep their turn. Returns `undefined` when
   * no flow is eligible.
   */
  take(isEligible: (flow: string) => boolean = () => true): T | undefined {
    for (const [flow, queue] of this.#queues) {
      if (!isEligible(flow)) continue;
      this.#queues.delete(flow);
      this.#queues.set(flow, queue);
      return this.#takeFirst(flow, queue);
    }
    return undefined;
  }

  clear(): void {
    this.#queues.clear();
    this.#size = 0;
  }

  #takeFirst(flow: string, queue: ReadonlySet<T>): T | undefined {
    for (const item of queue) {
      this.delete(flow, item);
      return item;
    }
    return undefined;
  }
}
