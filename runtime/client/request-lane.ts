import { AbortCallbacks } from './abort-callbacks.ts';

/**
 * Order of waiting requests: `critical` before `urgent` before `normal` before `background`. Critical is what must not wait
 * behind any number of others, such as the renewal of a lease.
 */
export type RequestPriority = (typeof PRIORITIES)[number];

const PRIORITIES = ['critical', 'urgent', 'normal', 'background'] as const;

/**
 * Bounds how many requests are in flight and decides which waiting one goes next. So that, in a burst, what is due goes
 * out before bookkeeping, and bookkeeping before events, whatever order the callers arrive in.
 */
export class RequestLane {
  readonly #limit: number;
  /** Present while somebody waits for it. */
  #noneUrgent: PromiseWithResolvers<void> | undefined;
  /** For requests that wait: many passes share one signal. */
  readonly #onAbort = new AbortCallbacks();
  #inFlight = 0;
  /** What lets each waiting request in, in the order they came. */
  readonly #waiting: Record<RequestPriority, Set<() => void>> = {
    critical: new Set(),
    urgent: new Set(),
    normal: new Set(),
    background: new Set(),
  };

  /** @param limit Most requests in flight at once; at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when no request waits that is urgent or critical; at once as a rule. */
  async noneUrgent(): Promise<void> {
    if (!this.#isPressed) return;
    this.#noneUrgent ??= Promise.withResolvers();
    await this.#noneUrgent.promise;
  }

  /** Runs `request` when its turn comes. If `signal` aborts before, rejects at once with its reason. */
  async run<R>(priority: RequestPriority, request: () => Promise<R>, signal?: AbortSignal): Promise<R> {
    signal?.throwIfAborted();
    if (this.#inFlight >= this.#limit) await this.#turn(priority, signal);
    else this.#inFlight++;
    try {
      signal?.throwIfAborted();
      return await request();
    } finally {
      this.#passOn();
    }
  }

  #turn(priority: RequestPriority, signal?: AbortSignal): Promise<void> {
    const waiting = this.#waiting[priority];
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        waiting.delete(enter);
        if (signal) this.#onAbort.delete(signal, leave);
        this.#tellWhenNoneUrgent();
      };
      const enter = () => {
        stopWaiting();
        resolve();
      };
      const leave = () => {
        stopWaiting();
        reject(signal?.reason);
      };
      waiting.add(enter);
      if (signal) this.#onAbort.add(signal, leave);
    });
  }

  /** Hands the place of a finished request to the next waiting one. */
  #passOn(): void {
    for (const priority of PRIORITIES) {
      const [enter] = this.#waiting[priority];
      if (enter) {
        enter();
        return;
      }
    }
    this.#inFlight--;
  }

  get #isPressed(): boolean {
    return this.#waiting.critical.size > 0 || this.#waiting.urgent.size > 0;
  }

  #tellWhenNoneUrgent(): void {
    if (this.#isPressed) return;
    this.#noneUrgent?.resolve();
    this.#noneUrgent = undefined;
  }
}
