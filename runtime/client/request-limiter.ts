import { FairQueue } from '../fair-share/fair-queue.ts';
import { FlowCounts } from '../fair-share/flow-counts.ts';
import { AbortCallbacks } from './abort-callbacks.ts';

/** Order of waiting requests: `urgent` before `normal` before `background`. */
export type RequestPriority = (typeof PRIORITIES)[number];

const PRIORITIES = ['urgent', 'normal', 'background'] as const;
const MORE_URGENT = { urgent: [], normal: ['urgent'], background: ['urgent', 'normal'] } as const;
const LESS_URGENT = { urgent: ['normal', 'background'], normal: ['background'], background: [] } as const;

/** Share of the limit that namespaces share; the rest is for the first request of each namespace. */
const SHARED_FRACTION = 1 / 2;

/**
 * `share`: factor of the free shared seats. `maxSeatsForFirst`: share of the limit up to which a namespace's first request of
 * the priority is sent.
 */
const PRIORITY_RULES = {
  urgent: { share: 1, maxSeatsForFirst: 1 },
  normal: { share: 1 / 2, maxSeatsForFirst: 3 / 4 },
  background: { share: 1 / 4, maxSeatsForFirst: SHARED_FRACTION },
} as const satisfies Record<RequestPriority, { readonly share: number; readonly maxSeatsForFirst: number }>;

/**
 * While more urgent requests of its namespace wait, the first request of a priority is sent after this many of them have
 * completed.
 */
const URGENT_REQUESTS_BEFORE_FIRST = 16;

/** The fields of a request that the limiter reads. */
export interface RequestFlow {
  /** Default `normal`. */
  readonly priority?: RequestPriority | undefined;
  /** Namespace whose share the request counts against. Requests without a namespace share one. */
  readonly namespace?: string | undefined;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Limits how many requests are in flight and decides which waiting request is sent next. In a burst, due work goes before
 * bookkeeping, and bookkeeping before events; within a priority, namespaces take turns. A namespace whose calls hang
 * keeps its seats, so it may take a seat of the shared half only while it holds fewer than are still free there. The
 * other half is for namespaces without a request of the same priority in flight: their first request is sent at once while
 * the requests in flight are within `maxSeatsForFirst` of its priority ({@link PRIORITY_RULES}), unless more urgent requests of the same
 * namespace wait and make progress ({@link URGENT_REQUESTS_BEFORE_FIRST}). docs/adr/0015-fair-share.md.
 */
export class RequestLimiter {
  readonly #sharedSeats: number;
  readonly #maxWaiting: number;
  /** Number of seats up to which the first request of a namespace is sent. */
  readonly #maxSeatsForFirst: Record<RequestPriority, number>;
  /** Callbacks of waiting requests: many passes share one signal. */
  readonly #onAbort = new AbortCallbacks();
  #inFlight = 0;
  /** Requests in flight by namespace, in total and by priority. */
  readonly #seats = new FlowCounts();
  readonly #seatsByPriority = { urgent: new FlowCounts(), normal: new FlowCounts(), background: new FlowCounts() };
  /**
   * By namespace: more urgent requests that have completed since the last request of the priority. Kept while the namespace
   * has requests in flight.
   */
  readonly #urgentCompletions = { urgent: new FlowCounts(), normal: new FlowCounts(), background: new FlowCounts() };
  /**
   * Callbacks that send a waiting request. No namespace waits while it {@link #canDispatch}: this changes when a request
   * completes, or when a waiting request is aborted.
   */
  readonly #queues = {
    urgent: new FairQueue<() => void>(),
    normal: new FairQueue<() => void>(),
    background: new FairQueue<() => void>(),
  };

  /**
   * @param limit Maximum number of requests in flight at once; at least 1.
   * @param maxWaiting Maximum number of waiting requests of one priority. Further requests are rejected at once.
   *   Default: no limit.
   */
  constructor(limit: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxWaiting = maxWaiting;
    const seats = (fraction: number) => Math.ceil(limit * fraction);
    this.#sharedSeats = seats(SHARED_FRACTION);
    this.#maxSeatsForFirst = {
      urgent: seats(PRIORITY_RULES.urgent.maxSeatsForFirst),
      normal: seats(PRIORITY_RULES.normal.maxSeatsForFirst),
      background: seats(PRIORITY_RULES.background.maxSeatsForFirst),
    };
  }

  /**
   * Calls `send` when `request` gets a seat. If its signal aborts before, rejects at once with the signal's
   * reason.
   */
  async run<R>(request: RequestFlow, send: () => Promise<R>): Promise<R> {
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
    const isFirst = this.#seatsByPriority[priority].get(namespace) === 0;
    if (isFirst && this.#inFlight < this.#maxSeatsForFirst[priority] && !this.#yieldsToUrgent(priority, namespace))
      return true;
    return this.#seats.get(namespace) < PRIORITY_RULES[priority].share * (this.#sharedSeats - this.#inFlight);
  }

  /** False when no more urgent request has completed: they may hang. */
  #yieldsToUrgent(priority: RequestPriority, namespace: string): boolean {
    if (!MORE_URGENT[priority].some((each) => this.#queues[each].has(namespace))) return false;
    const completed = this.#urgentCompletions[priority].get(namespace);
    return completed > 0 && completed < URGENT_REQUESTS_BEFORE_FIRST;
  }

  #takeSeat(priority: RequestPriority, namespace: string): void {
    this.#inFlight++;
    this.#seats.add(namespace);
    this.#seatsByPriority[priority].add(namespace);
  }

  #releaseSeat(priority: RequestPriority, namespace: string): void {
    this.#inFlight--;
    this.#seats.remove(namespace);
    this.#seatsByPriority[priority].remove(namespace);
    this.#countCompletion(priority, namespace);
    this.#dispatchAll();
  }

  #countCompletion(priority: RequestPriority, namespace: string): void {
    for (const each of LESS_URGENT[priority]) this.#urgentCompletions[each].add(namespace);
    const prioritiesToReset = this.#seats.get(namespace) === 0 ? PRIORITIES : [priority];
    for (const each of prioritiesToReset) this.#urgentCompletions[each].clear(namespace);
  }

  #dispatchAll(): void {
    for (const each of PRIORITIES) this.#dispatch(each);
  }

  #dispatch(priority: RequestPriority): void {
    while (this.#inFlight < this.#maxSeatsForFirst[priority]) {
      const start = this.#queues[priority].take((namespace) => this.#canDispatch(priority, namespace));
      if (start === undefined) return;
      start();
    }
  }

  #waitForSeat(priority: RequestPriority, namespace: string, signal?: AbortSignal): Promise<void> {
    const queue = this.#queues[priority];
    if (queue.size >= this.#maxWaiting) throw new Error('too many requests are waiting');
    return new Promise((resolve, reject) => {
      const removeListener = () => {
        if (signal) this.#onAbort.delete(signal, cancel);
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
      if (signal) this.#onAbort.add(signal, cancel);
    });
  }
}
