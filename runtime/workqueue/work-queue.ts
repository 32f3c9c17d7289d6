import type { Clock } from '../clock/clock.ts';
import { FairQueue } from '../fair-share/fair-queue.ts';
import { Places } from '../fair-share/places.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';
import { WakeUps } from './wake-ups.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly rateLimits?: RateLimits;
  readonly metrics?: QueueMetrics;
  /** Keys that workers have at once, at least 1. A namespace gets no more than a share of it. No limit when absent. */
  readonly maxWorking?: number;
}

/**
 * Which of two keys that wait is handed out first. `low` is for work that can wait: it begins while no key of priority `normal` may be
 * handed out.
 */
export type Priority = 'normal' | 'low';

/** Part of the workers that keys of low priority may have at once. Few, so that such a key waits here, where it takes no memory. */
const LOW = 1 / 4;

/** A key that waits, or that a worker has. */
interface Item {
  /** On the steady clock. */
  readonly sinceMs: number;
  priority: Priority;
}

/**
 * A queue of keys for reconcilers. Fair: namespaces take turns, and within one it is first come, first served. Stingy: a key that is
 * added many times is handed out once, with the highest priority of these. Serial: a key is with one worker at a time. Reentrant: one
 * that is added while it is being worked on comes again afterwards. And keys can be added later: at an instant, or with back-off after a
 * failure.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #rateLimiter: RateLimiter;
  /** What {@link addAfter} set. */
  readonly #wakeUps: WakeUps;
  /** What {@link addRateLimited} set. Apart from the others, so that a retry never takes the place of a wake-up. */
  readonly #retries: WakeUps;
  /** Keys whose retry must not come before its time. */
  readonly #askedToWait = new Set<string>();
  /** Places of the keys that workers have. Those of low priority take one of each. */
  readonly #places: Places;
  readonly #lowPlaces: Places;
  /** Keys to hand out. Never holds a key that is in `#working`. */
  readonly #waiting = new Map<string, Item>();
  /** The keys of `#waiting` in the order in which they are handed out, by namespace. */
  readonly #turns = { normal: new FairQueue<string>(), low: new FairQueue<string>() };
  /** Keys that a worker has. */
  readonly #working = new Map<string, Item>();
  /** Keys that were added while a worker had them. A subset of `#working`. */
  readonly #again = new Map<string, Priority>();
  /** Workers that found nothing they may do. */
  #idle: ((key: string | undefined) => void)[] = [];
  #isShutDown = false;

  constructor({ clock, rateLimits, metrics, maxWorking = Number.POSITIVE_INFINITY }: WorkQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#places = new Places(maxWorking);
    this.#lowPlaces = new Places(Math.ceil(maxWorking * LOW));
    this.#rateLimiter = new RateLimiter(clock, rateLimits);
    this.#wakeUps = new WakeUps(clock, (key) => this.add(key));
    this.#retries = new WakeUps(clock, (key) => this.add(key));
    metrics?.observe({
      depth: () => this.#waiting.size,
      unfinishedMs: () => this.#workedMs().reduce((total, workedMs) => total + workedMs, 0),
      longestRunningMs: () => Math.max(0, ...this.#workedMs()),
    });
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Whether a key waits for a worker. */
  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Wake-ups and retries that are set. */
  get scheduled(): number {
    return this.#wakeUps.size + this.#retries.size;
  }

  /** Nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  /** Hands `key` to a worker as soon as it is its turn. Ignored after {@link shutDown}. */
  add(key: string, priority: Priority = 'normal'): void {
    if (this.#isShutDown) return;
    const waiting = this.#waiting.get(key);
    if (waiting?.priority === 'normal' || waiting?.priority === priority) return;
    if (waiting) this.#raise(key, waiting);
    else if (this.#working.has(key)) this.#addAgain(key, priority);
    else {
      this.#metrics?.added();
      this.#enqueue(key, priority);
    }
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
    this.#metrics?.retried();
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
    this.cancelRetry(key);
    this.#rateLimiter.forget(key);
  }

  /** Voids what {@link addRateLimited} set. The next failure of `key` backs off further. A wake-up stays. */
  cancelRetry(key: string): void {
    this.#retries.cancel(key);
    this.#askedToWait.delete(key);
  }

  /** What made `key` fail may be over: its next retry comes after a second or so, and the further ones as ever. */
  shortenBackOff(key: string): void {
    this.#rateLimiter.shorten(key);
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
    const { sinceMs, priority } = this.#itemOf(key, 'done');
    const namespace = namespaceOf(key);
    this.#working.delete(key);
    this.#places.giveBack(namespace);
    if (priority === 'low') this.#lowPlaces.giveBack(namespace);
    this.#metrics?.finished(this.#clock.monotonicMs() - sinceMs);
    if (this.#isShutDown) return;
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again) this.#enqueue(key, again);
    this.#handOut();
  }

  /**
   * Whether the worker that has `key` may go on with what can wait, because nothing else does. From then on the key has low priority.
   * If not, the key should be added again with low priority. Always true after {@link shutDown}.
   */
  lowerPriority(key: string): boolean {
    const item = this.#itemOf(key, 'lowerPriority');
    if (item.priority === 'low' || this.#isShutDown) return true;
    const namespace = namespaceOf(key);
    if (this.#waiting.size > 0 || !this.#lowPlaces.mayTake(namespace)) return false;
    item.priority = 'low';
    this.#lowPlaces.take(namespace);
    return true;
  }

  /** Hands nothing out any more: waiting keys are dropped, waiting workers are let go. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#wakeUps.clear();
    this.#retries.clear();
    this.#askedToWait.clear();
    this.#waiting.clear();
    for (const turns of Object.values(this.#turns)) turns.clear();
    this.#again.clear();
    for (const letGo of this.#idle) letGo(undefined);
    this.#idle = [];
  }

  #raise(key: string, waiting: Item): void {
    waiting.priority = 'normal';
    const namespace = namespaceOf(key);
    this.#turns.low.delete(namespace, key);
    this.#turns.normal.add(namespace, key);
  }

  #addAgain(key: string, priority: Priority): void {
    const before = this.#again.get(key);
    if (before === undefined) this.#metrics?.added();
    if (before !== 'normal') this.#again.set(key, priority);
  }

  #itemOf(key: string, method: string): Item {
    const item = this.#working.get(key);
    if (item === undefined) throw new Error(`${method}("${key}") without get`);
    return item;
  }

  #enqueue(key: string, priority: Priority): void {
    this.#waiting.set(key, { sinceMs: this.#clock.monotonicMs(), priority });
    this.#turns[priority].add(namespaceOf(key), key);
  }

  /** Gives idle workers what they may have, in the order they came. */
  #handOut(): void {
    while (this.#idle.length > 0 && !this.#places.areFull) {
      const key = this.#turns.normal.take((namespace) => this.#places.mayTake(namespace)) ?? this.#takeLow();
      if (key === undefined) return;
      this.#start(key);
      this.#idle.shift()?.(key);
    }
  }

  #takeLow(): string | undefined {
    // Spares a look at each of what may be thousands of namespaces.
    if (this.#lowPlaces.areFull) return undefined;
    return this.#turns.low.take((namespace) => this.#lowPlaces.mayTake(namespace) && this.#places.mayTake(namespace));
  }

  #start(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const { sinceMs = nowMs, priority = 'normal' } = this.#waiting.get(key) ?? {};
    this.#metrics?.started(nowMs - sinceMs);
    this.#waiting.delete(key);
    this.#working.set(key, { sinceMs: nowMs, priority });
    const namespace = namespaceOf(key);
    this.#places.take(namespace);
    if (priority === 'low') this.#lowPlaces.take(namespace);
  }

  #workedMs(): number[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#working.values()].map(({ sinceMs }) => nowMs - sinceMs);
  }
}

function namespaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
