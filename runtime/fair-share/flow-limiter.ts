import { FlowCounts } from './flow-counts.ts';

/** Share of the seats that is reserved for flows without a seat, so that one flow cannot block all others. */
const RESERVED_SEAT_SHARE = 1 / 4;
/** Maximum ratio of a flow's seats to the free seats that are not reserved. */
const MAX_SEATS_PER_FREE_SEAT = 4;

/**
 * Limits concurrent work with a fixed number of seats, which all flows share. A flow that hangs cannot take all seats.
 */
export class FlowLimiter {
  readonly #seatCount: number;
  readonly #sharedSeatCount: number;
  readonly #seatsByFlow = new FlowCounts();
  #takenSeatCount = 0;

  /** @param seatCount Number of seats, at least 1. */
  constructor(seatCount: number) {
    this.#seatCount = seatCount;
    this.#sharedSeatCount = Math.ceil(seatCount * (1 - RESERVED_SEAT_SHARE));
  }

  get isFull(): boolean {
    return this.#takenSeatCount >= this.#seatCount;
  }

  canTakeSeat(flow: string): boolean {
    if (this.isFull) return false;
    const flowSeatCount = this.#seatsByFlow.get(flow);
    return (
      flowSeatCount === 0 || flowSeatCount < MAX_SEATS_PER_FREE_SEAT * (this.#sharedSeatCount - this.#takenSeatCount)
    );
  }

  takeSeat(flow: string): void {
    this.#takenSeatCount++;
    this.#seatsByFlow.increment(flow);
  }

  releaseSeat(flow: string): void {
    this.#takenSeatCount--;
    this.#seatsByFlow.decrement(flow);
  }
}
