import type { Clock } from '../clock/clock.ts';
import { noQueueMetrics, type QueueMetrics } from './queue-metrics.ts';
import { RateLimiter, type RateLimits } from './rate-limiter.ts';
import { WakeUps } from './wake-ups.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly rateLimits?: RateLimits;
  readonly metrics?: QueueMetrics;
}

/**
 * A queue of keys for reconcilers. Fair: first come, first served. Stingy: a key that is added many times is handed out
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
  /** Keys to hand out, with when they came, in that order. Never holds a key that is in `#working`. */
  readonly #waiting = new Map<string, number>();
  /** Keys that a worker has, with since when. */
  readonly #working = new Map<string, number>();
  /** Keys that were added while a worker had them. A subset of `#working`. */
  readonly #again = new Set<string>();
  /** Workers that found nothing to do. */
  #idle: ((key: string | undefined) => void)[] = [];
  #isShutDown = false;

  constructor({ clock, rateLimits, metrics }: WorkQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics ?? noQueueMetrics;
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
    this.#waiting.set(key, this.#clock.monotonicMs());
    this.#idle.shift()?.(this.#take());
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
  }

  /** Voids what {@link addAfter} set. A retry stays. */
  cancelWakeUp(key: string): void {
    this.#wakeUps.cancel(key);
  }

  /** `key` succeeded: a retry that waits is void, and its next failure backs off from the start. */
  forget(key: string): void {
    this.#retries.cancel(key);
    this.#rateLimiter.forget(key);
  }

  /** Adds every key that waits for its retry: what made them fail is over. Their next failures back off as before. */
  retryNow(): void {
    this.#retries.fireAll();
  }

  /** How often `key` has failed since it last succeeded. */
  failures(key: string): number {
    return this.#rateLimiter.failures(key);
  }

  /** The next key, when there is one; `undefined` once the queue is shut down. Give it back with {@link done}. */
  get(): Promise<string | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined);
    if (this.#waiting.size > 0) return Promise.resolve(this.#take());
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** The worker is finished with `key`, for better or worse. */
  done(key: string): void {
    const sinceMs = this.#working.get(key);
    if (sinceMs === undefined) throw new Error(`done("${key}") without get`);
    this.#working.delete(key);
    this.#metrics.finished(this.#clock.monotonicMs() - sinceMs);
    if (!this.#again.delete(key) || this.#isShutDown) return;
    this.#waiting.set(key, this.#clock.monotonicMs());
    this.#idle.shift()?.(this.#take());
  }

  /** Hands nothing out any more: waiting keys are dropped, waiting workers are let go. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#wakeUps.clear();
    this.#retries.clear();
    this.#waiting.clear();
    this.#again.clear();
    for (const letGo of this.#idle) letGo(undefined);
    this.#idle = [];
  }

  /** The first waiting key, now with a worker. */
  #take(): string | undefined {
    for (const [key, sinceMs] of this.#waiting) {
      const nowMs = this.#clock.monotonicMs();
      this.#waiting.delete(key);
      this.#working.set(key, nowMs);
      this.#metrics.started(nowMs - sinceMs);
      return key;
    }
    return undefined;
  }

  #workedMs(): number[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#working.values()].map((sinceMs) => nowMs - sinceMs);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
