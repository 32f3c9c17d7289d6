import type { Clock } from '../clock/clock.ts';
import { FairQueue } from '../fair-share/fair-queue.ts';
import { FlowLimiter } from '../fair-share/flow-limiter.ts';
import { LowPriorityWaitTimes } from './low-priority-wait-times.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';
import { WakeUps } from './wake-ups.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly rateLimits?: RateLimits;
  readonly metrics?: QueueMetrics;
  /** Maximum number of keys in progress. A single namespace may use only a share of the maximum. Default: no limit. */
  readonly maxConcurrentKeys?: number;
}

/** A key of priority `low` starts only while no key of priority `normal` can start, or after a wait of ten seconds. */
export type Priority = 'normal' | 'low';

/** Maximum share of the workers for low priority. A key in progress needs more memory than a waiting key. */
const LOW_PRIORITY_SHARE = 1 / 4;

interface QueueItem {
  /** Time at which the key started to wait, or at which its worker started, on the monotonic clock. */
  readonly startMs: number;
  priority: Priority;
}

/**
 * A queue of keys for reconcilers.
 * - Fair: namespaces take turns. Within a namespace, the first added key comes first.
 * - Stingy: a key that is added several times before a worker takes it is returned once, with its highest priority.
 * - Serial: a key has at most one worker.
 * - Reentrant: a key that is added while it is in progress is returned again afterwards.
 *
 * Keys can also be added after a delay, or with back-off after a failure.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #rateLimiter: RateLimiter;
  /** Wake-ups from {@link addAfter}. */
  readonly #wakeUps: WakeUps;
  /** Retries from {@link addRateLimited}. Retries are separate because a retry must not replace a wake-up. */
  readonly #retries: WakeUps;
  /** Keys with a minimum wait that the server requested, which {@link retryNow} skips. */
  readonly #keysWithMinimumWait = new Set<string>();
  /** The seats for keys in progress. A key of low priority also takes a seat of `#lowPrioritySeats`. */
  readonly #seats: FlowLimiter;
  readonly #lowPrioritySeats: FlowLimiter;
  /** The waiting keys. Keys in progress are in `#processingItems`. */
  readonly #waitingItems = new Map<string, QueueItem>();
  /** The keys of `#waitingItems` by namespace, in the order in which workers get them. */
  readonly #queues = { normal: new FairQueue<string>(), low: new FairQueue<string>() };
  readonly #processingItems = new Map<string, QueueItem>();
  /** The keys that were added while they were in progress, with their new priority. */
  readonly #prioritiesOfReaddedKeys = new Map<string, Priority>();
  readonly #lowPriorityWaitTimes: LowPriorityWaitTimes;
  /** Resolves the promises of workers that wait for a key. */
  #idleWorkers: ((key: string | undefined) => void)[] = [];
  #hasShutDown = false;

  constructor({ clock, rateLimits, metrics, maxConcurrentKeys = Number.POSITIVE_INFINITY }: WorkQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#seats = new FlowLimiter(maxConcurrentKeys);
    this.#lowPrioritySeats = new FlowLimiter(Math.ceil(maxConcurrentKeys * LOW_PRIORITY_SHARE));
    this.#lowPriorityWaitTimes = new LowPriorityWaitTimes(clock);
    this.#rateLimiter = new RateLimiter(clock, rateLimits);
    this.#wakeUps = new WakeUps(clock, (key) => this.add(key));
    this.#retries = new WakeUps(clock, (key) => this.add(key));
    metrics?.observe({
      depth: () => this.#waitingItems.size,
      unfinishedMs: () => this.#processingTimesMs().reduce((totalMs, durationMs) => totalMs + durationMs, 0),
      longestRunningMs: () => Math.max(0, ...this.#processingTimesMs()),
    });
  }

  get depth(): number {
    return this.#waitingItems.size;
  }

  get hasWaitingKeys(): boolean {
    return this.#waitingItems.size > 0;
  }

  /** Number of scheduled wake-ups and retries. */
  get scheduledCount(): number {
    return this.#wakeUps.size + this.#retries.size;
  }

  /** Whether the queue has no waiting keys and no keys in progress. */
  get isIdle(): boolean {
    return this.#waitingItems.size === 0 && this.#processingItems.size === 0;
  }

  /** Adds `key` to the queue. Does nothing after {@link shutDown}. */
  add(key: string, priority: Priority = 'normal'): void {
    if (this.#hasShutDown) return;
    if (priority === 'low') this.#lowPriorityWaitTimes.start(key);
    const waitingItem = this.#waitingItems.get(key);
    if (waitingItem?.priority === 'normal' || waitingItem?.priority === priority) return;
    if (waitingItem) this.#raisePriority(key, waitingItem);
    else if (this.#processingItems.has(key)) this.#addWhileProcessing(key, priority);
    else {
      this.#metrics?.recordAdd();
      this.#enqueue(key, priority);
    }
    this.#assignKeys();
  }

  /** Adds `key` after `delayMs`. Replaces the earlier wake-up of the key. */
  addAfter(key: string, delayMs: number): void {
    if (this.#hasShutDown) return;
    if (delayMs > 0) {
      this.#wakeUps.set(key, delayMs);
    } else {
      this.#wakeUps.cancel(key);
      this.add(key);
    }
  }

  /** Adds `key` after its back-off, but not before `minWaitMs`. Replaces the earlier retry of the key. */
  addRateLimited(key: string, minWaitMs = 0): void {
    if (this.#hasShutDown) return;
    this.#metrics?.recordRetry();
    this.#retries.set(key, Math.max(minWaitMs, this.#rateLimiter.nextDelayMs(key)));
    if (minWaitMs > 0) this.#keysWithMinimumWait.add(key);
    else this.#keysWithMinimumWait.delete(key);
  }

  /** Cancels the wake-up from {@link addAfter}, but keeps a retry. */
  cancelWakeUp(key: string): void {
    this.#wakeUps.cancel(key);
  }

  /** Cancels the retry of `key` and resets its back-off after a success. */
  forget(key: string): void {
    this.cancelRetry(key);
    this.#rateLimiter.forget(key);
  }

  /** Cancels the retry from {@link addRateLimited}, but keeps the wake-up and the back-off of `key`. */
  cancelRetry(key: string): void {
    this.#retries.cancel(key);
    this.#keysWithMinimumWait.delete(key);
  }

  /** Shortens the next retry of `key` to about a second. Does not affect later retries. */
  shortenBackOff(key: string): void {
    this.#rateLimiter.shortenNextDelay(key);
  }

  /**
   * Adds all keys that wait for a retry, because the cause of the failures may be resolved. Keeps the back-off of each
   * key. Keys with a minimum wait that the server requested continue to wait.
   */
  retryNow(): void {
    this.#retries.wakeUpAll((key) => !this.#keysWithMinimumWait.has(key));
  }

  /** Number of failures of `key` since its last success. */
  getFailureCount(key: string): number {
    return this.#rateLimiter.getFailureCount(key);
  }

  /**
   * Waits for the next key and returns it, or returns `undefined` after {@link shutDown}. After processing the key,
   * call {@link done}.
   */
  get(): Promise<string | undefined> {
    if (this.#hasShutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#idleWorkers.push(resolve);
      this.#assignKeys();
    });
  }

  /** Marks `key` as finished, with or without an error. */
  done(key: string): void {
    const { startMs, priority } = this.#getProcessingItem(key, 'done');
    const namespace = parseNamespace(key);
    this.#processingItems.delete(key);
    this.#seats.releaseSeat(namespace);
    if (priority === 'low') this.#lowPrioritySeats.releaseSeat(namespace);
    this.#metrics?.recordEnd(this.#clock.monotonicMs() - startMs);
    if (this.#hasShutDown) return;
    const addedPriority = this.#prioritiesOfReaddedKeys.get(key);
    this.#prioritiesOfReaddedKeys.delete(key);
    if (addedPriority) this.#enqueue(key, addedPriority);
    else this.#lowPriorityWaitTimes.end(key);
    this.#assignKeys();
  }

  /**
   * Lowers the priority of a key in progress if no other keys wait, and returns whether its worker may continue. A
   * worker that may not continue should add the key again with low priority. The worker may also continue after
   * {@link shutDown} or if the key has waited too long.
   */
  tryLowerPriority(key: string): boolean {
    const item = this.#getProcessingItem(key, 'tryLowerPriority');
    if (item.priority === 'low' || this.#hasShutDown) return true;
    this.#raiseOverdueKeys();
    if (this.#lowPriorityWaitTimes.isOverdue(key)) {
      this.#lowPriorityWaitTimes.end(key);
      return true;
    }
    const namespace = parseNamespace(key);
    if (this.#waitingItems.size > 0 || !this.#lowPrioritySeats.canTakeSeat(namespace)) return false;
    item.priority = 'low';
    this.#lowPrioritySeats.takeSeat(namespace);
    return true;
  }

  /** Stops the queue. Deletes the waiting keys, and returns `undefined` to waiting workers. */
  shutDown(): void {
    this.#hasShutDown = true;
    this.#wakeUps.clear();
    this.#retries.clear();
    this.#keysWithMinimumWait.clear();
    this.#waitingItems.clear();
    for (const fairQueue of Object.values(this.#queues)) fairQueue.clear();
    this.#prioritiesOfReaddedKeys.clear();
    this.#lowPriorityWaitTimes.clear();
    for (const resolve of this.#idleWorkers) resolve(undefined);
    this.#idleWorkers = [];
  }

  #raisePriority(key: string, waitingItem: QueueItem): void {
    waitingItem.priority = 'normal';
    const namespace = parseNamespace(key);
    this.#queues.low.delete(namespace, key);
    this.#queues.normal.add(namespace, key);
  }

  #addWhileProcessing(key: string, priority: Priority): void {
    const addedPriority = this.#prioritiesOfReaddedKeys.get(key);
    if (addedPriority === undefined) this.#metrics?.recordAdd();
    if (addedPriority !== 'normal') this.#prioritiesOfReaddedKeys.set(key, priority);
  }

  #getProcessingItem(key: string, callerName: string): QueueItem {
    const item = this.#processingItems.get(key);
    if (item === undefined) throw new Error(`${callerName}("${key}") without get`);
    return item;
  }

  #enqueue(key: string, priority: Priority): void {
    this.#waitingItems.set(key, { startMs: this.#clock.monotonicMs(), priority });
    this.#queues[priority].add(parseNamespace(key), key);
  }

  #raiseOverdueKeys(): void {
    for (const key of this.#lowPriorityWaitTimes.takeNewlyOverdue()) {
      const waitingItem = this.#waitingItems.get(key);
      if (waitingItem?.priority === 'low') this.#raisePriority(key, waitingItem);
    }
  }

  #assignKeys(): void {
    this.#raiseOverdueKeys();
    while (this.#idleWorkers.length > 0 && !this.#seats.isFull) {
      const key =
        this.#queues.normal.takeNext((namespace) => this.#seats.canTakeSeat(namespace)) ?? this.#takeLowPriorityKey();
      if (key === undefined) return;
      this.#startProcessing(key);
      this.#idleWorkers.shift()?.(key);
    }
  }

  #takeLowPriorityKey(): string | undefined {
    // Without a free seat for low priority, a search through thousands of namespaces would find no key.
    if (this.#lowPrioritySeats.isFull) return undefined;
    return this.#queues.low.takeNext(
      (namespace) => this.#lowPrioritySeats.canTakeSeat(namespace) && this.#seats.canTakeSeat(namespace),
    );
  }

  #startProcessing(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const { startMs = nowMs, priority = 'normal' } = this.#waitingItems.get(key) ?? {};
    this.#metrics?.recordStart(nowMs - startMs);
    this.#waitingItems.delete(key);
    this.#processingItems.set(key, { startMs: nowMs, priority });
    const namespace = parseNamespace(key);
    this.#seats.takeSeat(namespace);
    if (priority === 'low') this.#lowPrioritySeats.takeSeat(namespace);
  }

  #processingTimesMs(): number[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#processingItems.values()].map(({ startMs }) => nowMs - startMs);
  }
}

function parseNamespace(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('/')));
}
