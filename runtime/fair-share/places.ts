import { FlowCounts } from './flow-counts.ts';

/** Share of the places that is reserved for flows without a place, so that one flow cannot block the others. */
const RESERVED = 1 / 4;
/** A flow may hold this many times the number of free places that are not reserved. */
const SHARE = 4;

/**
 * A limited number of places that flows share. A flow that keeps its places because its work hangs leaves room for
 * others.
 */
export class Places {
  readonly #limit: number;
  readonly #shared: number;
  readonly #held = new FlowCounts();
  #taken = 0;

  /** @param limit At least 1. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#shared = Math.ceil(limit * (1 - RESERVED));
  }

  get areFull(): boolean {
    return this.#taken >= this.#limit;
  }

  mayTake(flow: string): boolean {
    if (this.areFull) return false;
    const held = this.#held.of(flow);
    return held === 0 || held < SHARE * (this.#shared - this.#taken);
  }

  take(flow: string): void {
    this.#taken++;
    this.#held.add(flow);
  }

  /** Returns a place that the flow holds. */
  giveBack(flow: string): void {
    this.#taken--;
    this.#held.remove(flow);
  }
}
