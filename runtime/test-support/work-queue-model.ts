/** A simple model of a work queue, which tests compare with the real queue. */
import type { Priority } from '../workqueue/work-queue.ts';

export const BASE_DELAY_MS = 10;

/** The operations of the real queue and of the model. */
export interface QueueOperations {
  add(key: string, priority?: Priority): void;
  tryLowerPriority(key: string): void;
  addAfter(key: string, delayMs: number): void;
  addRateLimited(key: string): void;
  cancelWakeUp(key: string): void;
  forget(key: string): void;
  retryNow(): void;
  /** Requests a key as a new worker. */
  get(): void;
  done(key: string): void;
  advance(durationMs: number): unknown;
}

interface ModelWakeUp {
  readonly key: string;
  readonly dueMs: number;
  /** Keys that are due at the same instant are added to the queue in ascending `order`. */
  readonly order: number;
}

function parseNamespace(key: string): string {
  return key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
}

/** A simple queue, in which each operation searches whole lists. */
export class WorkQueueModel implements QueueOperations {
  /** Keys in the order in which the workers received them. */
  readonly received: string[] = [];
  readonly tryLowerResults: boolean[] = [];
  waiting: string[] = [];
  processing: string[] = [];
  /** The keys with low priority among the waiting keys and the keys in progress. */
  #low = new Set<string>();
  wakeUps: readonly ModelWakeUp[] = [];
  retries: readonly ModelWakeUp[] = [];
  #addedWhileProcessing = new Map<string, Priority>();
  #nowMs = 0;
  #idleWorkers = 0;
  readonly #failures = new Map<string, number>();
  readonly #maxConcurrent: number;
  /**
   * For each priority and namespace, the step at which a worker last took a key, or at which the first waiting key
   * arrived. The namespace with the smallest step is next.
   */
  readonly #turns = { normal: new Map<string, number>(), low: new Map<string, number>() };
  #steps = 0;

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  add(key: string, priority: Priority = 'normal'): void {
    if (this.waiting.includes(key)) {
      if (priority === 'low' || !this.#low.has(key)) return;
      this.waiting = this.waiting.filter((other) => other !== key);
      this.#wait(key, 'normal');
    } else if (this.processing.includes(key)) {
      if (this.#addedWhileProcessing.get(key) !== 'normal') this.#addedWhileProcessing.set(key, priority);
    } else {
      this.#wait(key, priority);
    }
    this.#assignKeys();
  }

  tryLowerPriority(key: string): void {
    const isFree = this.waiting.length === 0 && this.#mayProcessLow(parseNamespace(key));
    if (isFree) this.#low.add(key);
    this.tryLowerResults.push(this.#low.has(key));
  }

  addAfter(key: string, delayMs: number): void {
    this.cancelWakeUp(key);
    if (delayMs > 0) this.wakeUps = [...this.wakeUps, this.#wakeUp(key, delayMs)];
    else this.add(key);
  }

  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#cancelRetry(key);
    this.retries = [...this.retries, this.#wakeUp(key, BASE_DELAY_MS * 2 ** failures)];
  }

  #wakeUp(key: string, delayMs: number): ModelWakeUp {
    return { key, dueMs: this.#nowMs + delayMs, order: this.#steps++ };
  }

  #cancelRetry(key: string): void {
    this.retries = this.retries.filter((retry) => retry.key !== key);
  }

  cancelWakeUp(key: string): void {
    this.wakeUps = this.wakeUps.filter((wakeUp) => wakeUp.key !== key);
  }

  forget(key: string): void {
    this.#cancelRetry(key);
    this.#failures.delete(key);
  }

  retryNow(): void {
    const keys = this.retries.map(({ key }) => key);
    this.retries = [];
    for (const key of keys) this.add(key);
  }

  get(): void {
    this.#idleWorkers++;
    this.#assignKeys();
  }

  done(key: string): void {
    const again = this.#addedWhileProcessing.get(key);
    this.processing = this.processing.filter((other) => other !== key);
    this.#addedWhileProcessing.delete(key);
    this.#low.delete(key);
    if (again) this.add(key, again);
    this.#assignKeys();
  }

  advance(durationMs: number): void {
    this.#nowMs += durationMs;
    const isDue = ({ dueMs }: ModelWakeUp) => dueMs <= this.#nowMs;
    const due = [...this.wakeUps, ...this.retries].filter(isDue).sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    this.wakeUps = this.wakeUps.filter((wakeUp) => !isDue(wakeUp));
    this.retries = this.retries.filter((retry) => !isDue(retry));
    for (const { key } of due) this.add(key);
  }

  #wait(key: string, priority: Priority): void {
    if (priority === 'low') this.#low.add(key);
    else this.#low.delete(key);
    const isFirst = !this.#waitingWith(priority).some((other) => parseNamespace(other) === parseNamespace(key));
    this.waiting.push(key);
    if (isFirst) this.#turns[priority].set(parseNamespace(key), this.#steps++);
  }

  #waitingWith(priority: Priority): readonly string[] {
    return this.waiting.filter((key) => this.#low.has(key) === (priority === 'low'));
  }

  #assignKeys(): void {
    for (; this.#idleWorkers > 0; this.#idleWorkers--) {
      const key = this.#next('normal') ?? this.#next('low');
      if (key === undefined) return;
      this.waiting = this.waiting.filter((other) => other !== key);
      this.processing.push(key);
      this.received.push(key);
    }
  }

  #next(priority: Priority): string | undefined {
    const mayProcess = (namespace: string) =>
      this.#mayProcess(namespace) && (priority === 'normal' || this.#mayProcessLow(namespace));
    const candidates = this.#waitingWith(priority).filter((key) => mayProcess(parseNamespace(key)));
    const turns = this.#turns[priority];
    const turn = Math.min(...candidates.map((key) => turns.get(parseNamespace(key))!));
    const key = candidates.find((each) => turns.get(parseNamespace(each)) === turn);
    if (key !== undefined) turns.set(parseNamespace(key), this.#steps++);
    return key;
  }

  #mayProcess(namespace: string): boolean {
    return hasFreeSeat(namespace, this.processing, this.#maxConcurrent);
  }

  #mayProcessLow(namespace: string): boolean {
    const low = this.processing.filter((key) => this.#low.has(key));
    return hasFreeSeat(namespace, low, Math.ceil(this.#maxConcurrent / 4));
  }
}

function hasFreeSeat(namespace: string, processingKeys: readonly string[], maxConcurrent: number): boolean {
  const seatsInUse = processingKeys.filter((key) => parseNamespace(key) === namespace).length;
  const free = Math.ceil((maxConcurrent * 3) / 4) - processingKeys.length;
  return processingKeys.length < maxConcurrent && (seatsInUse === 0 || seatsInUse < 4 * free);
}
