import { FlowCounts } from './flow-counts.ts';

/** Share of the seats that is reserved for flows without a seat, so that one flow cannot block the others. */
const RESERVED_FRACTION = 1 / 4;
/** A flow may hold this many times the number of free seats that are not reserved. */
const SHARE = 4;

/**
 * A limited number of seats that flows share. A flow that keeps its seats because its work hangs leaves seats for
 * others.
 */
export class FlowLimiter {
  readonly #limit: number;
  readonly #sharedSeats: number;
  readonly #seatsByFlow = new FlowCounts();
  #takenSeats = 0;

  /** @param limit At least 1. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#sharedSeats = Math.ceil(limit * (1 - RESERVED_FRACTION));
  }

  get isFull(): boolean {
    return this.#takenSeats >= this.#limit;
  }

  canTake(flow: string): boolean {
    if (this.isFull) return false;
    const seats = this.#seatsByFlow.get(flow);
    return seats === 0 || seats < SHARE * (this.#sharedSeats - this.#takenSeats);
  }

  take(flow: string): void {
    this.#takenSeats++;
    this.#seatsByFlow.add(flow);
  }

  /** Returns a seat that the flow holds. */
  release(flow: string): void {
    this.#takenSeats--;
    this.#seatsByFlow.remove(flow);
  }
}
