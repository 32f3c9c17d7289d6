/** Order of waiting requests: `urgent` before `normal` before `background`. */
export type RequestPriority = (typeof PRIORITIES)[number];

const PRIORITIES = ['urgent', 'normal', 'background'] as const;

/**
 * Bounds how many requests are in flight and decides which waiting one goes next. So that, in a burst, what is due goes
 * out before bookkeeping, and bookkeeping before events, whatever order the callers arrive in.
 */
export class RequestLane {
  readonly #limit: number;
  #inFlight = 0;
  readonly #waiting: Record<RequestPriority, (() => void)[]> = { urgent: [], normal: [], background: [] };

  /** @param limit Most requests in flight at once; at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `request` when its turn comes. If `signal` has aborted by then, rejects with its reason instead. */
  async run<R>(priority: RequestPriority, request: () => Promise<R>, signal?: AbortSignal): Promise<R> {
    if (this.#inFlight >= this.#limit) await this.#turn(priority);
    else this.#inFlight++;
    try {
      signal?.throwIfAborted();
      return await request();
    } finally {
      this.#passOn();
    }
  }

  #turn(priority: RequestPriority): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[priority].push(resolve);
    });
  }

  /** Hands the place of a finished request to the next waiting one. */
  #passOn(): void {
    for (const priority of PRIORITIES) {
      const next = this.#waiting[priority].shift();
      if (next) {
        next();
        return;
      }
    }
    this.#inFlight--;
  }
}
