/**
 * A queue of items for each flow. Flows take turns. Within a flow, items stay in the order in which they were added. A
 * flow with many items therefore does not delay the other flows.
 */
export class FairQueue<T> {
  /** The next turn belongs to the first flow of the map. Empty queues are deleted to save memory. */
  readonly #queues = new Map<string, FlowQueue<T>>();
  #itemCount = 0;

  /** Number of items in all queues. */
  get size(): number {
    return this.#itemCount;
  }

  /** Whether the queue of `flow` has items. */
  hasItems(flow: string): boolean {
    return this.#queues.has(flow);
  }

  /** Adds `item` to the end of its queue. An item that is already in the queue keeps its position. */
  add(flow: string, item: T): void {
    const queue = this.#queues.get(flow);
    if (queue?.items.has(item)) return;
    if (queue) queue.items.add(item);
    else this.#queues.set(flow, createFlowQueue(item));
    this.#itemCount++;
  }

  /** Removes `item` from its queue. Returns false if the item is not in the queue. */
  delete(flow: string, item: T): boolean {
    const queue = this.#queues.get(flow);
    if (!queue?.items.delete(item)) return false;
    if (queue.items.size === 0) this.#queues.delete(flow);
    this.#itemCount--;
    return true;
  }

  /** Removes and returns the first item of the next eligible flow, or returns `undefined` if no flow is eligible. */
  takeNext(isEligible: (flow: string) => boolean = () => true): T | undefined {
    for (const [flow, queue] of this.#queues) {
      if (!isEligible(flow)) continue;
      if (this.#queues.size > 1) {
        this.#queues.delete(flow);
        this.#queues.set(flow, queue);
      }
      const item: T = queue.iterator.next().value; // exists, because empty queues are deleted
      this.delete(flow, item);
      return item;
    }
    return undefined;
  }

  clear(): void {
    this.#queues.clear();
    this.#itemCount = 0;
  }
}

interface FlowQueue<T> {
  readonly items: Set<T>;
  /**
   * Returns the items in the order of the set. All items before its position are deleted. A new iterator would step over every item that
   * was taken before, because a set keeps the places of deleted items until it shrinks.
   */
  readonly iterator: Iterator<T>;
}

function createFlowQueue<T>(item: T): FlowQueue<T> {
  const items = new Set([item]);
  return { items, iterator: items.values() };
}
