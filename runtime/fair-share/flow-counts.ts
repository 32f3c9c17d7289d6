/** A count for each flow, such as the seats that it holds. A flow whose count is 0 takes no memory. */
export class FlowCounts {
  readonly #counts = new Map<string, number>();

  get(flow: string): number {
    return this.#counts.get(flow) ?? 0;
  }

  add(flow: string): void {
    this.#counts.set(flow, this.get(flow) + 1);
  }

  /** For a flow whose count is at least 1. */
  remove(flow: string): void {
    const left = this.get(flow) - 1;
    if (left > 0) this.#counts.set(flow, left);
    else this.#counts.delete(flow);
  }

  clear(flow: string): void {
    this.#counts.delete(flow);
  }
}
