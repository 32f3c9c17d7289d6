import type { Clock } from '../clock/clock.ts';
import { FairQueue } from '../fair-share/fair-queue.ts';
import { FlowLimiter } from '../fair-share/flow-limiter.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';
import { WakeUps } from './wake-ups.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly rateLimits?: RateLimits;
  readonly metrics?: QueueMetrics;
  /** Maximum number of keys in progress at once, at least 1. A namespace gets only a share of it. Default: no limit. */
  readonly maxProcessing?: number;
}

/**
 * Which of two waiting keys comes first. `low` is for work that can wait: it starts only while no key of priority
 * `normal` can start.
 */
export type Priority = 'normal' | 'low';

/**
 * Share of the workers for keys of low priority. It is small, so that such a key waits here, where it takes no memory.
 */
const LOW_PRIORITY_SHARE = 1 / 4;

/** A key that waits or is in progress. */
interface QueueItem {
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
  readonly #minimumWaits = new Set<string>();
  /** Seats of the keys in progress. A key of low priority takes one of each. */
  readonly #seats: FlowLimiter;
  readonly #lowSeats: FlowLimiter;
  /** Waiting keys. Never contains a key of `#processing`. */
  readonly #waiting = new Map<string, QueueItem>();
  /** The keys of `#waiting` in the order in which they are returned, by namespace. */
  readonly #queues = { normal: new FairQueue<string>(), low: new FairQueue<string>() };
  /** Keys in progress. */
  readonly #processing = new Map<string, QueueItem>();
  /** Keys that were added while in progress. A subset of `#processing`. */
  readonly #addedWhileProcessing = new Map<string, Priority>();
  /** Workers without an available key. */
  #idleWorkers: ((key: string | undefined) => void)[] = [];
  #isShutDown = false;

  constructor({ clock, rateLimits, metrics, maxProcessing = Number.POSITIVE_INFINITY }: WorkQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#seats = new FlowLimiter(maxProcessing);
    this.#lowSeats = new FlowLimiter(Math.ceil(maxProcessing * LOW_PRIORITY_SHARE));
    this.#rateLimiter = new RateLimiter(clock, rateLimits);
    this.#wakeUps = new WakeUps(clock, (key) => this.add(key));
    this.#retries = new WakeUps(clock, (key) => this.add(key));
    metrics?.observe({
      depth: () => this.#waiting.size,
      unfinishedMs: () => this.#processingTimesMs().reduce((total, workedMs) => total + workedMs, 0),
      longestRunningMs: () => Math.max(0, ...this.#processingTimesMs()),
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
    return this.#waiting.size === 0 && this.#processing.size === 0;
  }

  /** Queues `key`; a worker gets it as soon as it is its turn. Ignored after {@link shutDown}. */
  add(key: string, priority: Priority = 'normal'): void {
    if (this.#isShutDown) return;
    const waiting = this.#waiting.get(key);
    if (waiting?.priority === 'normal' || waiting?.priority === priority) return;
    if (waiting) this.#raisePriority(key, waiting);
    else if (this.#processing.has(key)) this.#addAgain(key, priority);
    else {
      this.#metrics?.added();
      this.#enqueue(key, priority);
    }
    this.#assignKeys();
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

  /** Adds `key` after its back-off, and not before `minWaitMs`; replaces the earlier retry. Keeps its wake-up. */
  addRateLimited(key: string, minWaitMs = 0): void {
    if (this.#isShutDown) return;
    this.#metrics?.retried();
    this.#retries.set(key, Math.max(minWaitMs, this.#rateLimiter.nextDelayMs(key)));
    if (minWaitMs > 0) this.#minimumWaits.add(key);
    else this.#minimumWaits.delete(key);
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
    this.#minimumWaits.delete(key);
  }

  /** Shortens the next retry of `key` to about a second, because the cause may be gone. Later retries are unchanged. */
  shortenBackOff(key: string): void {
    this.#rateLimiter.shortenNextDelay(key);
  }

  /**
   * Adds every key that waits for its retry, because the cause of the failures is gone. Their next failures back off as
   * before. Keys with a requested minimum wait keep waiting.
   */
  retryNow(): void {
    this.#retries.fireAll((key) => !this.#minimumWaits.has(key));
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
      this.#idleWorkers.push(resolve);
      this.#assignKeys();
    });
  }

  /** Records that the worker is finished with `key`, with or without success. */
  done(key: string): void {
    const { sinceMs, priority } = this.#requireProcessing(key, 'done');
    const namespace = parseNamespace(key);
    this.#processing.delete(key);
    this.#seats.release(namespace);
    if (priority === 'low') this.#lowSeats.release(namespace);
    this.#metrics?.finished(this.#clock.monotonicMs() - sinceMs);
    if (this.#isShutDown) return;
    const addedPriority = this.#addedWhileProcessing.get(key);
    this.#addedWhileProcessing.delete(key);
    if (addedPriority) this.#enqueue(key, addedPriority);
    this.#assignKeys();
  }

  /**
   * Returns whether the worker of `key` may continue with work that can wait, because no other key waits. From then on
   * the key has low priority. If false, add the key again with low priority. Always true after {@link shutDown}.
   */
  tryLowerPriority(key: string): boolean {
    const item = this.#requireProcessing(key, 'tryLowerPriority');
    if (item.priority === 'low' || this.#isShutDown) return true;
    const namespace = parseNamespace(key);
    if (this.#waiting.size > 0 || !this.#lowSeats.canTake(namespace)) return false;
    item.priority = 'low';
    this.#lowSeats.take(namespace);
    return true;
  }

  /** Stops the queue: drops waiting keys and releases waiting workers. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#wakeUps.clear();
    this.#retries.clear();
    this.#minimumWaits.clear();
    this.#waiting.clear();
    for (const turns of Object.values(this.#queues)) turns.clear();
    this.#addedWhileProcessing.clear();
    for (const resolve of this.#idleWorkers) resolve(undefined);
    this.#idleWorkers = [];
  }

  #raisePriority(key: string, waiting: QueueItem): void {
    waiting.priority = 'normal';
    const namespace = parseNamespace(key);
    this.#queues.low.delete(namespace, key);
    this.#queues.normal.add(namespace, key);
  }

  #addAgain(key: string, priority: Priority): void {
    const before = this.#addedWhileProcessing.get(key);
    if (before === undefined) this.#metrics?.added();
    if (before !== 'normal') this.#addedWhileProcessing.set(key, priority);
  }

  #requireProcessing(key: string, method: string): QueueItem {
    const item = this.#processing.get(key);
    if (item === undefined) throw new Error(`${method}("${key}") without get`);
    return item;
  }

  #enqueue(key: string, priority: Priority): void {
    this.#waiting.set(key, { sinceMs: this.#clock.monotonicMs(), priority });
    this.#queues[priority].add(parseNamespace(key), key);
  }

  /** Assigns available keys to idle workers, in the order in which the workers came. */
  #assignKeys(): void {
    while (this.#idleWorkers.length > 0 && !this.#seats.isFull) {
      const key = this.#queues.normal.take((namespace) => this.#seats.canTake(namespace)) ?? this.#takeLow();
      if (key === undefined) return;
      this.#start(key);
      this.#idleWorkers.shift()?.(key);
    }
  }

  #takeLow(): string | undefined {
    // Avoids a check of each of possibly thousands of namespaces.
    if (this.#lowSeats.isFull) return undefined;
    return this.#queues.low.take((namespace) => this.#lowSeats.canTake(namespace) && this.#seats.canTake(namespace));
  }

  #start(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const { sinceMs = nowMs, priority = 'normal' } = this.#waiting.get(key) ?? {};
    this.#metrics?.started(nowMs - sinceMs);
    this.#waiting.delete(key);
    this.#processing.set(key, { sinceMs: nowMs, priority });
    const namespace = parseNamespace(key);
    this.#seats.take(namespace);
    if (priority === 'low') this.#lowSeats.take(namespace);
  }

  #processingTimesMs(): number[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#processing.values()].map(({ sinceMs }) => nowMs - sinceMs);
  }
}

function parseNamespace(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
