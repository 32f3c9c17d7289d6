/**
 * Items that wait, each in the line of its flow. Flows take turns; within one, first come, first served. So a flow with ten
 * thousand items holds up no other.
 */
export class FairQueue<T> {
  /** In the order of their turns. Never an empty line: there may be as many flows as namespaces have ever been. */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  /** Items that wait, in all lines. */
  get size(): number {
    return this.#size;
  }

  /** Whether something waits in the line of `flow`. */
  has(flow: string): boolean {
    return this.#lines.has(flow);
  }

  /** Puts `item` at the end of its line. One that waits in it already keeps its place. */
  add(flow: string, item: T): void {
    const line = this.#lines.get(flow);
    if (line?.has(item)) return;
    if (line) line.add(item);
    else this.#lines.set(flow, new Set([item]));
    this.#size++;
  }

  /** Takes `item` out of its line; false when it is not in it. */
  delete(flow: string, item: T): boolean {
    const line = this.#lines.get(flow);
    if (!line?.delete(item)) return false;
    if (line.size === 0) this.#lines.delete(flow);
    this.#size--;
    return true;
  }

  /** The first item of the flow whose turn it is. Flows that are not eligible keep their turn; `undefined` when none is. */
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
