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
  /** Maximum number of keys in progress at once, at least 1. A namespace gets only a share of it. Default: no limit. */
  readonly maxWorking?: number;
}

/**
 * Which of two waiting keys comes first. `low` is for work that can wait: it starts only while no key of priority
 * `normal` can start.
 */
export type Priority = 'normal' | 'low';

/**
 * Share of the workers for keys of low priority. It is small, so that such a key waits here, where it takes no memory.
 */
const LOW = 1 / 4;

/** A key that waits or is in progress. */
interface Item {
  /** On the steady clock. */
  readonly sinceMs: number;
  priority: Priority;
}

/**
 * A queue of keys for reconcilers. Fair: namespaces take turns, and within one namespace keys are first come, first
 * served. Stingy: a key that is added many times is returned once, with its highest priority. Serial: only one worker
 * has a key at a time. Reentrant: a key that is added while it is in progress is returned again afterwards. Keys can
 * also be added later: at an instant, or with back-off after a failure.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #rateLimiter: RateLimiter;
  /** Set by {@link addAfter}. */
  readonly #wakeUps: WakeUps;
  /** Set by {@link addRateLimited}. Separate, so that a retry never replaces a wake-up. */
  readonly #retries: WakeUps;
  /** Keys that must not be retried before their time. */
  readonly #askedToWait = new Set<string>();
  /** Places of the keys in progress. A key of low priority takes one of each. */
  readonly #places: Places;
  readonly #lowPlaces: Places;
  /** Waiting keys. Never contains a key of `#working`. */
  readonly #waiting = new Map<string, Item>();
  /** The keys of `#waiting` in the order in which they are returned, by namespace. */
  readonly #turns = { normal: new FairQueue<string>(), low: new FairQueue<string>() };
  /** Keys in progress. */
  readonly #working = new Map<string, Item>();
  /** Keys that were added while in progress. A subset of `#working`. */
  readonly #again = new Map<string, Priority>();
  /** Workers without an available key. */
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

  /** Number of keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Whether a key waits for a worker. */
  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Number of wake-ups and retries that are set. */
  get scheduled(): number {
    return this.#wakeUps.size + this.#retries.size;
  }

  /** Whether no key waits or is in progress. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  /** Queues `key`; a worker gets it as soon as it is its turn. Ignored after {@link shutDown}. */
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

  /** Adds `key` after `delayMs`, replacing the earlier wake-up. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShutDown) return;
    if (delayMs > 0) {
      this.#wakeUps.set(key, delayMs);
    } else {
      this.#wakeUps.cancel(key);
      this.add(key);
    }
  }

  /** Adds `key` after its back-off, and not before `atLeastMs`; replaces the earlier retry. Keeps its wake-up. */
  addRateLimited(key: string, atLeastMs = 0): void {
    if (this.#isShutDown) return;
    this.#metrics?.retried();
    this.#retries.set(key, Math.max(atLeastMs, this.#rateLimiter.next(key)));
    if (atLeastMs > 0) this.#askedToWait.add(key);
    else this.#askedToWait.delete(key);
  }

  /** Cancels the wake-up from {@link addAfter}. Keeps a retry. */
  cancelWakeUp(key: string): void {
    this.#wakeUps.cancel(key);
  }

  /** Records a success of `key`: cancels its retry, and its next failure restarts the back-off. */
  forget(key: string): void {
    this.cancelRetry(key);
    this.#rateLimiter.forget(key);
  }

  /** Cancels the retry from {@link addRateLimited}. The next failure of `key` backs off further. Keeps a wake-up. */
  cancelRetry(key: string): void {
    this.#retries.cancel(key);
    this.#askedToWait.delete(key);
  }

  /** Shortens the next retry of `key` to about a second, because the cause may be gone. Later retries are unchanged. */
  shortenBackOff(key: string): void {
    this.#rateLimiter.shorten(key);
  }

  /**
   * Adds every key that waits for its retry, because the cause of the failures is gone. Their next failures back off as
   * before. Keys with a requested minimum wait keep waiting.
   */
  retryNow(): void {
    this.#retries.fireAll((key) => !this.#askedToWait.has(key));
  }

  /** Number of failures of `key` since its last success. */
  failures(key: string): number {
    return this.#rateLimiter.failures(key);
  }

  /**
   * Returns the next key when there is one, or `undefined` once the queue is shut down. Call {@link done} afterwards.
   */
  get(): Promise<string | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#handOut();
    });
  }

  /** Records that the worker is finished with `key`, whatever the outcome. */
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
   * Returns whether the worker of `key` may continue with work that can wait, because no other key waits. From then on
   * the key has low priority. If false, add the key again with low priority. Always true after {@link shutDown}.
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

  /** Stops the queue: drops waiting keys and releases waiting workers. */
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

  /** Assigns available keys to idle workers, in the order in which the workers came. */
  #handOut(): void {
    while (this.#idle.length > 0 && !this.#places.areFull) {
      const key = this.#turns.normal.take((namespace) => this.#places.mayTake(namespace)) ?? this.#takeLow();
      if (key === undefined) return;
      this.#start(key);
      this.#idle.shift()?.(key);
    }
  }

  #takeLow(): string | undefined {
    // Avoids a check of each of possibly thousands of namespaces.
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
