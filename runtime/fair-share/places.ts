import { FlowCounts } from './flow-counts.ts';

/** Part of the places that only a flow may take which has none: others find room whatever one does. */
const RESERVED = 1 / 4;
/** Of the others, a flow may have so many times what is still free. */
const SHARE = 4;

/** A limited number of places that flows share. One that keeps what it has, because its work hangs, leaves room for others. */
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

  /** For a flow that has one. */
  giveBack(flow: string): void {
    this.#taken--;
    this.#held.remove(flow);
  }
}
