import { FairQueue } from '../fair-share/fair-queue.ts';
import { FlowCounts } from '../fair-share/flow-counts.ts';
import { AbortCallbacks } from './abort-callbacks.ts';

/** Priority of a request. The limiter sends `urgent` requests first, and `background` requests last. */
export type RequestPriority = (typeof PRIORITIES)[number];

const PRIORITIES = ['urgent', 'normal', 'background'] as const;
const MORE_URGENT_PRIORITIES = { urgent: [], normal: ['urgent'], background: ['urgent', 'normal'] } as const;
const LESS_URGENT_PRIORITIES = { urgent: ['normal', 'background'], normal: ['background'], background: [] } as const;

/**
 * Share of the seats that is open to every request. The remaining seats are reserved for the first request of each
 * namespace.
 */
const SHARED_SEAT_FRACTION = 1 / 2;

/**
 * A namespace may take a shared seat if its number of seats is less than `freeSeatShare` times the number of free
 * shared seats. The first request of a namespace may take a seat while the share of seats in use is less than
 * `firstRequestShare`.
 */
const PRIORITY_RULES = {
  urgent: { freeSeatShare: 1, firstRequestShare: 1 },
  normal: { freeSeatShare: 1 / 2, firstRequestShare: 3 / 4 },
  background: { freeSeatShare: 1 / 4, firstRequestShare: SHARED_SEAT_FRACTION },
} as const satisfies Record<RequestPriority, { readonly freeSeatShare: number; readonly firstRequestShare: number }>;

/**
 * The first request of a namespace and priority waits for at most this number of more urgent requests of the namespace.
 */
const MAX_URGENT_REQUESTS_AHEAD = 16;

export interface LimitedRequest {
  /** Default `normal`. */
  readonly priority?: RequestPriority | undefined;
  /**
   * Namespace of the request. Each namespace has a share of the seats. Requests without a namespace count as requests
   * of one namespace.
   */
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Limits the number of requests in flight, and selects the next waiting request by priority. Requests of the same
 * priority alternate between namespaces (docs/adr/0015-fair-share.md). Each request in flight takes a seat.
 *
 * Half of the seats are shared. A namespace takes a shared seat only if it has fewer seats than its share of the free
 * shared seats, so that hanging requests of one namespace do not occupy all seats. The seats that are not shared are
 * for the first request of each namespace and priority ({@link PRIORITY_RULES}). A first request waits while more
 * urgent requests of its namespace make progress ({@link MAX_URGENT_REQUESTS_AHEAD}).
 */
export class RequestLimiter {
  readonly #sharedSeats: number;
  readonly #maxWaiting: number;
  /** The first request of a namespace is sent only if fewer seats than this limit are in use. */
  readonly #firstRequestLimits: Record<RequestPriority, number>;
  readonly #abortCallbacks = new AbortCallbacks();
  #inFlightCount = 0;
  /** Number of requests in flight by namespace. */
  readonly #seatsByNamespace = new FlowCounts();
  readonly #seatsByPriority = { urgent: new FlowCounts(), normal: new FlowCounts(), background: new FlowCounts() };
  /**
   * For each priority and namespace, the number of more urgent requests that have completed since the last request of
   * that priority. The count of a namespace without requests in flight is 0.
   */
  readonly #urgentCompletions = { urgent: new FlowCounts(), normal: new FlowCounts(), background: new FlowCounts() };
  /**
   * Callbacks that send waiting requests. {@link #dispatchAll} calls the callbacks when a request completes or is
   * aborted.
   */
  readonly #queues = {
    urgent: new FairQueue<() => void>(),
    normal: new FairQueue<() => void>(),
    background: new FairQueue<() => void>(),
  };

  /**
   * @param maxInFlight Maximum number of requests in flight. At least 1.
   * @param maxWaiting Maximum number of waiting requests per priority. The limiter rejects further requests. Default:
   *   no limit.
   */
  constructor(maxInFlight: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxWaiting = maxWaiting;
    const toSeats = (fraction: number) => Math.ceil(maxInFlight * fraction);
    this.#sharedSeats = toSeats(SHARED_SEAT_FRACTION);
    this.#firstRequestLimits = {
      urgent: toSeats(PRIORITY_RULES.urgent.firstRequestShare),
      normal: toSeats(PRIORITY_RULES.normal.firstRequestShare),
      background: toSeats(PRIORITY_RULES.background.firstRequestShare),
    };
  }

  /** Calls `send` when `request` gets a seat. Rejects at once if the signal of the request aborts during the wait. */
  async run<R>(request: LimitedRequest, send: () => Promise<R>): Promise<R> {
    const { priority = 'normal', namespace = '', signal } = request;
    signal?.throwIfAborted();
    if (this.#canDispatch(priority, namespace)) this.#takeSeat(priority, namespace);
    else await this.#waitForSeat(priority, namespace, signal);
    try {
      signal?.throwIfAborted();
      return await send();
    } finally {
      this.#releaseSeat(priority, namespace);
    }
  }

  #canDispatch(priority: RequestPriority, namespace: string): boolean {
    const isFirstRequest = this.#seatsByPriority[priority].get(namespace) === 0;
    if (
      isFirstRequest &&
      this.#inFlightCount < this.#firstRequestLimits[priority] &&
      !this.#shouldWaitForUrgent(priority, namespace)
    )
      return true;
    return (
      this.#seatsByNamespace.get(namespace) <
      PRIORITY_RULES[priority].freeSeatShare * (this.#sharedSeats - this.#inFlightCount)
    );
  }

  /**
   * Returns whether a request must wait for more urgent requests. If none of the more urgent requests has completed,
   * all of them may hang, and the request does not wait.
   */
  #shouldWaitForUrgent(priority: RequestPriority, namespace: string): boolean {
    if (!MORE_URGENT_PRIORITIES[priority].some((each) => this.#queues[each].hasItems(namespace))) return false;
    const completions = this.#urgentCompletions[priority].get(namespace);
    return completions > 0 && completions < MAX_URGENT_REQUESTS_AHEAD;
  }

  #takeSeat(priority: RequestPriority, namespace: string): void {
    this.#inFlightCount++;
    this.#seatsByNamespace.increment(namespace);
    this.#seatsByPriority[priority].increment(namespace);
  }

  #releaseSeat(priority: RequestPriority, namespace: string): void {
    this.#inFlightCount--;
    this.#seatsByNamespace.decrement(namespace);
    this.#seatsByPriority[priority].decrement(namespace);
    this.#countCompletion(priority, namespace);
    this.#dispatchAll();
  }

  #countCompletion(priority: RequestPriority, namespace: string): void {
    for (const each of LESS_URGENT_PRIORITIES[priority]) this.#urgentCompletions[each].increment(namespace);
    const prioritiesToReset = this.#seatsByNamespace.get(namespace) === 0 ? PRIORITIES : [priority];
    for (const each of prioritiesToReset) this.#urgentCompletions[each].reset(namespace);
  }

  #dispatchAll(): void {
    for (const each of PRIORITIES) this.#dispatch(each);
  }

  #dispatch(priority: RequestPriority): void {
    while (this.#inFlightCount < this.#firstRequestLimits[priority]) {
      const startNext = this.#queues[priority].takeNext((namespace) => this.#canDispatch(priority, namespace));
      if (startNext === undefined) return;
      startNext();
    }
  }

  #waitForSeat(priority: RequestPriority, namespace: string, signal?: AbortSignal): Promise<void> {
    const queue = this.#queues[priority];
    if (queue.size >= this.#maxWaiting) throw new Error('too many requests are waiting');
    return new Promise((resolve, reject) => {
      const removeListener = () => {
        if (signal) this.#abortCallbacks.delete(signal, cancel);
      };
      const start = () => {
        this.#takeSeat(priority, namespace);
        removeListener();
        resolve();
      };
      const cancel = () => {
        queue.delete(namespace, start);
        removeListener();
        reject(signal?.reason);
        this.#dispatchAll();
      };
      queue.add(namespace, start);
      if (signal) this.#abortCallbacks.add(signal, cancel);
    });
  }
}
