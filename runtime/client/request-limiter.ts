import { FairQueue } from '../fair-share/fair-queue.ts';
import { FlowCounts } from '../fair-share/flow-counts.ts';
import { AbortCallbacks } from './abort-callbacks.ts';

/** Order of waiting requests: `urgent` before `normal` before `background`. */
export type RequestPriority = (typeof PRIORITIES)[number];

const PRIORITIES = ['urgent', 'normal', 'background'] as const;
const MORE_URGENT = { urgent: [], normal: ['urgent'], background: ['urgent', 'normal'] } as const;
const LESS_URGENT = { urgent: ['normal', 'background'], normal: ['background'], background: [] } as const;

/** Share of the limit that namespaces share; the rest is for the first request of each namespace. */
const SHARED = 1 / 2;

/**
 * `share`: factor of the free shared places. `firstUpTo`: share of the limit up to which a namespace's first request of
 * the priority may go.
 */
const RULES = {
  urgent: { share: 1, firstUpTo: 1 },
  normal: { share: 1 / 2, firstUpTo: 3 / 4 },
  background: { share: 1 / 4, firstUpTo: SHARED },
} as const satisfies Record<RequestPriority, { readonly share: number; readonly firstUpTo: number }>;

/**
 * While more urgent requests of its namespace wait, the first request of a priority goes after this many of them have
 * ended.
 */
const ENDED_BEFORE_FIRST = 16;

/** The fields of a request that the lane reads. */
export interface RequestFlow {
  /** Default `normal`. */
  readonly priority?: RequestPriority | undefined;
  /** Namespace whose share the request counts against. Requests without a namespace share one. */
  readonly namespace?: string | undefined;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bounds how many requests are in flight and decides which waiting request goes next. In a burst, due work goes before
 * bookkeeping, and bookkeeping before events; within a priority, namespaces take turns. A namespace whose calls hang
 * keeps its places, so it may take a place of the shared half only while it holds less than is still free there. The
 * other half is for namespaces without a request of the same priority in flight: their first request goes at once while
 * the requests in flight are within `firstUpTo` of its priority ({@link RULES}), unless more urgent requests of the same
 * namespace wait and make progress ({@link ENDED_BEFORE_FIRST}). docs/adr/0015-fair-share.md.
 */
export class RequestLimiter {
  readonly #shared: number;
  readonly #maxWaiting: number;
  /** Number of places up to which the first request of a namespace may go. */
  readonly #firstUpTo: Record<RequestPriority, number>;
  /** Callbacks of waiting requests: many passes share one signal. */
  readonly #onAbort = new AbortCallbacks();
  #inFlight = 0;
  /** Requests in flight by namespace, in total and by priority. */
  readonly #held = new FlowCounts();
  readonly #heldAt = { urgent: new FlowCounts(), normal: new FlowCounts(), background: new FlowCounts() };
  /**
   * By namespace: more urgent requests that have ended since the last request of the priority. Kept while the namespace
   * has requests in flight.
   */
  readonly #endedBefore = { urgent: new FlowCounts(), normal: new FlowCounts(), background: new FlowCounts() };
  /**
   * Callbacks that let a waiting request go. No namespace waits while it {@link #mayGo}: this changes when a request
   * ends, or when a waiting request gives up.
   */
  readonly #waiting = {
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
    const part = (of: number) => Math.ceil(limit * of);
    this.#shared = part(SHARED);
    this.#firstUpTo = {
      urgent: part(RULES.urgent.firstUpTo),
      normal: part(RULES.normal.firstUpTo),
      background: part(RULES.background.firstUpTo),
    };
  }

  /**
   * Calls `send` when it is the turn of `request`. If its signal aborts before, rejects at once with the signal's
   * reason.
   */
  async run<R>(request: RequestFlow, send: () => Promise<R>): Promise<R> {
    const { priority = 'normal', namespace = '', signal } = request;
    signal?.throwIfAborted();
    if (this.#mayGo(priority, namespace)) this.#enter(priority, namespace);
    else await this.#turn(priority, namespace, signal);
    try {
      signal?.throwIfAborted();
      return await send();
    } finally {
      this.#leave(priority, namespace);
    }
  }

  #mayGo(priority: RequestPriority, namespace: string): boolean {
    const isFirst = this.#heldAt[priority].of(namespace) === 0;
    if (isFirst && this.#inFlight < this.#firstUpTo[priority] && !this.#givesWay(priority, namespace)) return true;
    return this.#held.of(namespace) < RULES[priority].share * (this.#shared - this.#inFlight);
  }

  /** False when no more urgent request has ended: they may hang. */
  #givesWay(priority: RequestPriority, namespace: string): boolean {
    if (!MORE_URGENT[priority].some((each) => this.#waiting[each].has(namespace))) return false;
    const ended = this.#endedBefore[priority].of(namespace);
    return ended > 0 && ended < ENDED_BEFORE_FIRST;
  }

  #enter(priority: RequestPriority, namespace: string): void {
    this.#inFlight++;
    this.#held.add(namespace);
    this.#heldAt[priority].add(namespace);
  }

  #leave(priority: RequestPriority, namespace: string): void {
    this.#inFlight--;
    this.#held.remove(namespace);
    this.#heldAt[priority].remove(namespace);
    this.#countEnd(priority, namespace);
    this.#letAllIn();
  }

  #countEnd(priority: RequestPriority, namespace: string): void {
    for (const each of LESS_URGENT[priority]) this.#endedBefore[each].add(namespace);
    const since = this.#held.of(namespace) === 0 ? PRIORITIES : [priority];
    for (const each of since) this.#endedBefore[each].clear(namespace);
  }

  #letAllIn(): void {
    for (const each of PRIORITIES) this.#letIn(each);
  }

  #letIn(priority: RequestPriority): void {
    while (this.#inFlight < this.#firstUpTo[priority]) {
      const enter = this.#waiting[priority].take((namespace) => this.#mayGo(priority, namespace));
      if (enter === undefined) return;
      enter();
    }
  }

  #turn(priority: RequestPriority, namespace: string, signal?: AbortSignal): Promise<void> {
    const waiting = this.#waiting[priority];
    if (waiting.size >= this.#maxWaiting) throw new Error('too many requests are waiting');
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        if (signal) this.#onAbort.delete(signal, leave);
      };
      const enter = () => {
        this.#enter(priority, namespace);
        stopWaiting();
        resolve();
      };
      const leave = () => {
        waiting.delete(namespace, enter);
        stopWaiting();
        reject(signal?.reason);
        this.#letAllIn();
      };
      waiting.add(namespace, enter);
      if (signal) this.#onAbort.add(signal, leave);
    });
  }
}
