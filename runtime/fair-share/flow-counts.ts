/** How many places each flow holds. A flow that holds none takes no memory. */
export class FlowCounts {
  readonly #counts = new Map<string, number>();

  of(flow: string): number {
    return this.#counts.get(flow) ?? 0;
  }

  add(flow: string): void {
    this.#counts.set(flow, this.of(flow) + 1);
  }

  /** For a flow that holds at least one. */
  remove(flow: string): void {
    const left = this.of(flow) - 1;
    if (left > 0) this.#counts.set(flow, left);
    else this.#counts.delete(flow);
  }
}
