/**
 * Waiting items, each in the line of its flow. Flows take turns; within a flow, items are first come, first served. So
 * a flow with ten thousand items does not delay others.
 */
export class FairQueue<T> {
  /**
   * In the order of their turns. Empty lines are removed, because over time there may be as many flows as namespaces.
   */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  /** Number of waiting items in all lines. */
  get size(): number {
    return this.#size;
  }

  /** Whether an item waits in the line of `flow`. */
  has(flow: string): boolean {
    return this.#lines.has(flow);
  }

  /** Adds `item` at the end of its line. An item that already waits keeps its place. */
  add(flow: string, item: T): void {
    const line = this.#lines.get(flow);
    if (line?.has(item)) return;
    if (line) line.add(item);
    else this.#lines.set(flow, new Set([item]));
    this.#size++;
  }

  /** Removes `item` from its line; false when it is not in the line. */
  delete(flow: string, item: T): boolean {
    const line = this.#lines.get(flow);
    if (!line?.delete(item)) return false;
    if (line.size === 0) this.#lines.delete(flow);
    this.#size--;
    return true;
  }

  /**
   * Removes and returns the first item of the next eligible flow. Other flows keep their turn. Returns `undefined` when
   * no flow is eligible.
   */
  take(isEligible: (flow: string) => boolean = () => true): T | undefined {
    for (const [flow, line] of this.#lines) {
      if (!isEligible(flow)) continue;
      this.#lines.delete(flow);
      this.#lines.set(flow, line);
      return this.#takeFirst(flow, line);
    }
    return undefined;
  }

  clear(): void {
    this.#lines.clear();
    this.#size = 0;
  }

  #takeFirst(flow: string, line: ReadonlySet<T>): T | undefined {
    for (const item of line) {
      this.delete(flow, item);
      return item;
    }
    return undefined;
  }
}
