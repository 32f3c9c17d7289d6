import type { Clock } from '../clock/clock.ts';
import { FairQueue } from '../fair-share/fair-queue.ts';
import { FlowCounts } from '../fair-share/flow-counts.ts';
import { parseKey } from '../kubernetes/resource.ts';
import { noQueueMetrics, type QueueMetrics } from './queue-metrics.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';
import { WakeUps } from './wake-ups.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly rateLimits?: RateLimits;
  readonly metrics?: QueueMetrics;
  /** Keys that workers have at once, at least 1. A namespace gets no more than a share of it. No limit when absent. */
  readonly maxWorking?: number;
}

/** Part of the places that only a namespace may take which has none: others find room whatever one does. */
const RESERVED = 1 / 4;
/** Of the others, a namespace may have so many times what is still free. */
const SHARE = 4;

/**
 * A queue of keys for reconcilers. Fair: namespaces take turns, and within one it is first come, first served. Stingy: a key that is added many times is handed out
 * once. Serial: a key is with one worker at a time. Reentrant: one that is added while it is being worked on comes again
 * afterwards. And keys can be added later: at an instant, or with back-off after a failure.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics;
  readonly #rateLimiter: RateLimiter;
  /** What {@link addAfter} set. */
  readonly #wakeUps: WakeUps;
  /** What {@link addRateLimited} set. Apart from the others, so that a retry never takes the place of a wake-up. */
  readonly #retries: WakeUps;
  /** Keys whose retry must not come before its time. */
  readonly #askedToWait = new Set<string>();
  /** Most keys in `#working`, and the part of it that namespaces share. */
  readonly #maxWorking: number;
  readonly #shared: number;
  /** Keys to hand out, with when they came. Never holds a key that is in `#working`. */
  readonly #waiting = new Map<string, number>();
  /** The keys of `#waiting` in the order in which they are handed out, by namespace. */
  readonly #turns = new FairQueue<string>();
  /** Keys that a worker has, with since when. */
  readonly #working = new Map<string, number>();
  /** How many of them each namespace has. */
  readonly #held = new FlowCounts();
  /** Keys that were added while a worker had them. A subset of `#working`. */
  readonly #again = new Set<string>();
  /** Workers that found nothing they may do. */
  #idle: ((key: string | undefined) => void)[] = [];
  #isShutDown = false;

  constructor({ clock, rateLimits, metrics, maxWorking = Number.POSITIVE_INFINITY }: WorkQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics ?? noQueueMetrics;
    this.#maxWorking = maxWorking;
    this.#shared = Math.ceil(maxWorking * (1 - RESERVED));
    this.#rateLimiter = new RateLimiter(clock, rateLimits);
    this.#wakeUps = new WakeUps(clock, (key) => this.add(key));
    this.#retries = new WakeUps(clock, (key) => this.add(key));
    this.#metrics.observe({
      depth: () => this.#waiting.size,
      unfinishedMs: () => sum(this.#workedMs()),
      longestRunningMs: () => Math.max(0, ...this.#workedMs()),
    });
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Wake-ups and retries that are set. */
  get scheduled(): number {
    return this.#wakeUps.size + this.#retries.size;
  }

  /** Nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  /** Hands `key` to a worker as soon as one is free. Ignored after {@link shutDown}. */
  add(key: string): void {
    if (this.#isShutDown || this.#waiting.has(key) || this.#again.has(key)) return;
    this.#metrics.added();
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#enqueue(key);
    this.#handOut();
  }

  /** Adds `key` after `delayMs`, replacing the wake-up that was set before. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShutDown) return;
    if (delayMs > 0) {
      this.#wakeUps.set(key, delayMs);
    } else {
      this.#wakeUps.cancel(key);
      this.add(key);
    }
  }

  /** Adds `key` after its back-off, and not before `atLeastMs`; replaces the retry that was set before. Its wake-up stays. */
  addRateLimited(key: string, atLeastMs = 0): void {
    if (this.#isShutDown) return;
    this.#metrics.retried();
    this.#retries.set(key, Math.max(atLeastMs, this.#rateLimiter.next(key)));
    if (atLeastMs > 0) this.#askedToWait.add(key);
    else this.#askedToWait.delete(key);
  }

  /** Voids what {@link addAfter} set. A retry stays. */
  cancelWakeUp(key: string): void {
    this.#wakeUps.cancel(key);
  }

  /** `key` succeeded: a retry that waits is void, and its next failure backs off from the start. */
  forget(key: string): void {
    this.#retries.cancel(key);
    this.#askedToWait.delete(key);
    this.#rateLimiter.forget(key);
  }

  /**
   * Adds every key that waits for its retry: what made them fail is over. Their next failures back off as before. Those that were
   * asked to wait at least some time wait on.
   */
  retryNow(): void {
    this.#retries.fireAll((key) => !this.#askedToWait.has(key));
  }

  /** How often `key` has failed since it last succeeded. */
  failures(key: string): number {
    return this.#rateLimiter.failures(key);
  }

  /** The next key, when there is one; `undefined` once the queue is shut down. Give it back with {@link done}. */
  get(): Promise<string | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#handOut();
    });
  }

  /** The worker is finished with `key`, for better or worse. */
  done(key: string): void {
    const sinceMs = this.#working.get(key);
    if (sinceMs === undefined) throw new Error(`done("${key}") without get`);
    this.#working.delete(key);
    this.#held.remove(namespaceOf(key));
    this.#metrics.finished(this.#clock.monotonicMs() - sinceMs);
    if (this.#isShutDown) return;
    if (this.#again.delete(key)) this.#enqueue(key);
    this.#handOut();
  }

  /** Hands nothing out any more: waiting keys are dropped, waiting workers are let go. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#wakeUps.clear();
    this.#retries.clear();
    this.#askedToWait.clear();
    this.#waiting.clear();
    this.#turns.clear();
    this.#again.clear();
    for (const letGo of this.#idle) letGo(undefined);
    this.#idle = [];
  }

  #enqueue(key: string): void {
    this.#waiting.set(key, this.#clock.monotonicMs());
    this.#turns.add(namespaceOf(key), key);
  }

  /** Gives idle workers what they may have, in the order they came. */
  #handOut(): void {
    while (this.#idle.length > 0 && this.#working.size < this.#maxWorking) {
      const key = this.#turns.take((namespace) => this.#mayWork(namespace));
      if (key === undefined) return;
      this.#start(key);
      this.#idle.shift()?.(key);
    }
  }

  #mayWork(namespace: string): boolean {
    const held = this.#held.of(namespace);
    return held === 0 || held < SHARE * (this.#shared - this.#working.size);
  }

  #start(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#metrics.started(nowMs - (this.#waiting.get(key) ?? nowMs));
    this.#waiting.delete(key);
    this.#working.set(key, nowMs);
    this.#held.add(namespaceOf(key));
  }

  #workedMs(): number[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#working.values()].map((sinceMs) => nowMs - sinceMs);
  }
}

function namespaceOf(key: string): string {
  return parseKey(key).namespace ?? '';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
