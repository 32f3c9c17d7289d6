/** Limits on how often one process may do something. */
import type { Job } from '../../api/kubernetes.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { HOUR_MS, SECOND_MS } from './durations.ts';
import { getCatchUpLimit, isRequested } from './facts.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

/**
 * Limit of reconciles of one CronJob at one instant: events of all its Jobs may arrive together, and a thousand missed slots may start
 * late.
 */
const MAX_AT_ONCE = 3000;

interface RateLimit {
  readonly max: number;
  readonly windowMs: number;
}

const STATUS_WRITES = 'a status is not written too often';
const CATCH_UP_WRITES = 'a status of a CronJob that catches up is not written too often';
const REFUSED_CREATES = 'a refused create is not sent too often';
const DENIED_DELETES = 'denied deletes are sent at most 10 times an hour';
const SAME_EVENTS = 'an event is not repeated too often';

/** Limits for one CronJob. */
const RATE_LIMITS: Readonly<Record<string, readonly RateLimit[]>> = {
  // Edits may follow closely on one another, and Jobs end together.
  [STATUS_WRITES]: [
    { max: 50, windowMs: 10 * SECOND_MS },
    { max: 1000, windowMs: HOUR_MS },
  ],
  // Each late run starts and ends.
  [CATCH_UP_WRITES]: [{ max: 10_000, windowMs: HOUR_MS }],
  // One attempt for each slot and edit, and some that follow closely on one another.
  [REFUSED_CREATES]: [
    { max: 20, windowMs: 10 * SECOND_MS },
    { max: 200, windowMs: HOUR_MS },
  ],
  [DENIED_DELETES]: [{ max: 10, windowMs: HOUR_MS }],
  [SAME_EVENTS]: [{ max: 20, windowMs: HOUR_MS }],
};

export class Excess {
  readonly #clock: Clock;
  /** Called with the key and the broken rule. The action may repeat without end, so the process must stop. */
  readonly #onExcess: (key: string, rule: string) => void;
  /** Times of each action, within the longest window of its rule. */
  readonly #timesMs = new Map<string, readonly number[]>();
  /** Starts of Jobs that the process must not check again. */
  readonly #checkedStarts = new Set<string>();
  /** Time of the last reconcile of each key, and number of reconciles before it at the same instant. */
  readonly #lastInstants = new Map<string, { readonly instantMs: number; readonly count: number }>();

  constructor(clock: Clock, onExcess: (key: string, rule: string) => void) {
    this.#clock = clock;
    this.#onExcess = onExcess;
  }

  /** Reconciles that do nothing and follow one another without time between them would never end. */
  noteReconcile({ key, objectKey, writes, startedAt }: ObservedReconcile): void {
    const last = this.#lastInstants.get(objectKey);
    const isAgain = writes === 0 && last?.instantMs === startedAt.getTime();
    const count = isAgain ? last.count + 1 : 0;
    this.#lastInstants.set(objectKey, { instantMs: startedAt.getTime(), count });
    if (count >= MAX_AT_ONCE)
      this.#onExcess(key, 'reconciles that change nothing do not follow one another without a wait');
  }

  /** The process has seen that a container had started, or has ended the Job. */
  noteChecked(job: Job): void {
    this.#checkedStarts.add(formatStartKey(job));
  }

  notePodList({ key }: ObservedReconcile, job: Job): void {
    if (this.#checkedStarts.has(formatStartKey(job)))
      this.#onExcess(key, 'the Pods of a checked start are not listed again');
  }

  noteStatusWrite({ key, objectKey, view, jobs }: ObservedReconcile): void {
    const catchesUp = view !== undefined && getCatchUpLimit(view) !== undefined;
    // A backfill starts one run after another, as a CronJob that catches up does.
    const isFilled = [...jobs.values()].some(isRequested);
    this.#note(catchesUp || isFilled ? CATCH_UP_WRITES : STATUS_WRITES, key, objectKey);
  }

  noteRefusedCreate({ key, objectKey }: ObservedReconcile): void {
    this.#note(REFUSED_CREATES, key, objectKey);
  }

  /** The controllers of CronJobs and CronJobRuns have a back-off each. */
  noteDeniedDelete({ key, objectKey, view }: ObservedReconcile): void {
    this.#note(DENIED_DELETES, key, `${objectKey} ${view?.metadata.uid}`);
  }

  /** A success that is expected within seconds causes many events, and each change has its own rule. */
  noteEvent({ key, objectKey }: ObservedReconcile, reason: string, message: string): void {
    if (reason !== 'Overdue' && reason !== 'NotOverdue')
      this.#note(SAME_EVENTS, key, `${objectKey} ${reason} ${message}`);
  }

  /** @param detail Counted separately. Default: one count for the key. */
  #note(rule: string, key: string, detail = ''): void {
    const id = `${rule} ${key} ${detail}`;
    const limits = RATE_LIMITS[rule] ?? [];
    const nowMs = this.#clock.monotonicMs();
    const longestMs = Math.max(...limits.map(({ windowMs }) => windowMs));
    const timesMs = [...(this.#timesMs.get(id) ?? []).filter((timeMs) => timeMs > nowMs - longestMs), nowMs];
    this.#timesMs.set(id, timesMs);
    const isTooOften = ({ max, windowMs }: RateLimit) =>
      timesMs.filter((timeMs) => timeMs > nowMs - windowMs).length > max;
    if (limits.some(isTooOften)) this.#onExcess(key, rule);
  }
}

/** Resets the counts of a CronJob that is suspended and resumed. */
function formatStartKey({ metadata, status }: Job): string {
  return `${metadata.uid} ${status?.startTime}`;
}
