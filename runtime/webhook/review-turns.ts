export interface ReviewTurnsOptions {
  /** Most bytes of all parsed reviews at once. */
  readonly maxBytes: number;
  /** The part of them that is for reviews up to {@link smallBytes}. */
  readonly reservedBytes: number;
  /** Up to so many bytes a review is small. */
  readonly smallBytes: number;
  /** Most reviews at once. */
  readonly maxReviews: number;
}

interface Waiter {
  readonly bytes: number;
  enter(): void;
}

/**
 * Lets complete bodies be parsed and answered. The smallest goes first, and one goes in each turn of the event loop: a review of a few
 * KiB, as most are, waits for one large one at most, and never for all that came before it.
 */
export class ReviewTurns {
  readonly #options: ReviewTurnsOptions;
  readonly #waiting = new Set<Waiter>();
  #heldBytes = 0;
  #count = 0;
  #isScheduled = false;

  constructor(options: ReviewTurnsOptions) {
    this.#options = options;
  }

  /** Bytes of parsed reviews that are being answered. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Resolves, when it is the turn of a review, with what ends it. Rejects with the reason of `signal` when that aborts before.
   * @param bytes That it takes when it is parsed; no more than the options leave for large ones.
   */
  enter(bytes: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        stopWaiting();
        reject(signal.reason);
      };
      const enter = () => {
        stopWaiting();
        resolve(this.#hold(bytes));
      };
      const waiter = { bytes, enter };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      this.#waiting.add(waiter);
      this.#schedule();
    });
  }

  #hold(bytes: number): () => void {
    this.#heldBytes += bytes;
    this.#count++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#heldBytes -= bytes;
      this.#count--;
      this.#schedule();
    };
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const smallest = this.#smallest();
      // Who ends a review schedules the next turn.
      if (smallest === undefined || !this.#hasRoomFor(smallest.bytes)) return;
      smallest.enter();
      this.#schedule();
    });
  }

  #smallest(): Waiter | undefined {
    let smallest: Waiter | undefined;
    for (const waiter of this.#waiting) if (smallest === undefined || waiter.bytes < smallest.bytes) smallest = waiter;
    return smallest;
  }

  #hasRoomFor(bytes: number): boolean {
    const { maxBytes, reservedBytes, smallBytes, maxReviews } = this.#options;
    const limit = bytes <= smallBytes ? maxBytes : maxBytes - reservedBytes;
    return this.#count < maxReviews && this.#heldBytes + bytes <= limit;
  }
}
