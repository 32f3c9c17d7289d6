/** Stores a count for each flow, such as its number of seats. A flow with the count 0 uses no memory. */
export class FlowCounts {
  readonly #counts = new Map<string, number>();

  get(flow: string): number {
    return this.#counts.get(flow) ?? 0;
  }

  increment(flow: string): void {
    this.#counts.set(flow, this.get(flow) + 1);
  }

  decrement(flow: string): void {
    const remainingCount = this.get(flow) - 1;
    if (remainingCount > 0) this.#counts.set(flow, remainingCount);
    else this.#counts.delete(flow);
  }

  reset(flow: string): void {
    this.#counts.delete(flow);
  }
}
