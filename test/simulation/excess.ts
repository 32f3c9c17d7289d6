/** Limits on how often one process may do something. */
import type { Job } from '../../api/kubernetes.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { HOUR_MS, SECOND_MS } from './durations.ts';
import type { Pass } from './pass.ts';

/** Limit of passes of one CronJob at one instant: several events may arrive together. */
const MOST_AT_ONCE = 30;

interface Bound {
  readonly most: number;
  readonly windowMs: number;
}

const STATUS_WRITES = 'a status is not written over and over';
const REFUSED_CREATES = 'a create that is refused is not sent over and over';
const DENIED_DELETES = 'deletes that are denied are sent 10 times an hour at most';
const SAME_EVENTS = 'an event is not repeated over and over';

/** Limits for one CronJob. */
const BOUNDS: Readonly<Record<string, readonly Bound[]>> = {
  // Edits may follow closely on one another, and Jobs end together.
  [STATUS_WRITES]: [
    { most: 50, windowMs: 10 * SECOND_MS },
    { most: 1000, windowMs: HOUR_MS },
  ],
  // One attempt for each slot and edit, and some that follow closely on one another.
  [REFUSED_CREATES]: [
    { most: 20, windowMs: 10 * SECOND_MS },
    { most: 200, windowMs: HOUR_MS },
  ],
  [DENIED_DELETES]: [{ most: 10, windowMs: HOUR_MS }],
  [SAME_EVENTS]: [{ most: 20, windowMs: HOUR_MS }],
};

export class Excess {
  readonly #clock: Clock;
  /** Called with the key and the broken rule. The action may repeat without end, so the process must stop. */
  readonly #onExcess: (key: string, rule: string) => void;
  /** Times of each action, within the longest window of its rule. */
  readonly #timesMs = new Map<string, readonly number[]>();
  /** Starts of Jobs that the process must not check again. */
  readonly #judged = new Set<string>();
  /** Time of the last pass of each key, and number of passes before it at the same instant. */
  readonly #lastInstants = new Map<string, { readonly instantMs: number; readonly count: number }>();

  constructor(clock: Clock, onExcess: (key: string, rule: string) => void) {
    this.#clock = clock;
    this.#onExcess = onExcess;
  }

  /** Passes that do nothing and follow one another without time between them would never end. */
  notePass({ key, writes, startedAt }: Pass): void {
    const last = this.#lastInstants.get(key);
    const isAgain = writes === 0 && last?.instantMs === startedAt.getTime();
    const count = isAgain ? last.count + 1 : 0;
    this.#lastInstants.set(key, { instantMs: startedAt.getTime(), count });
    if (count >= MOST_AT_ONCE) this.#onExcess(key, 'passes that change nothing do not chase one another');
  }

  /** The process has seen that a container had started, or has ended the Job. */
  noteJudged(job: Job): void {
    this.#judged.add(startOf(job));
  }

  notePodLook({ key }: Pass, job: Job): void {
    if (this.#judged.has(startOf(job))) this.#onExcess(key, 'a start that is judged is not looked at again');
  }

  noteStatusWrite({ key }: Pass): void {
    this.#note(STATUS_WRITES, key);
  }

  noteRefusedCreate({ key }: Pass): void {
    this.#note(REFUSED_CREATES, key);
  }

  noteDeniedDelete({ key, view }: Pass): void {
    this.#note(DENIED_DELETES, key, view?.metadata.uid);
  }

  /** A success that is expected within seconds causes many events, and each change has its own rule. */
  noteEvent({ key }: Pass, reason: string, message: string): void {
    if (reason !== 'Overdue' && reason !== 'NotOverdue') this.#note(SAME_EVENTS, key, `${reason} ${message}`);
  }

  /** @param what Counted separately. Default: one count for the key. */
  #note(rule: string, key: string, what = ''): void {
    const id = `${rule} ${key} ${what}`;
    const bounds = BOUNDS[rule] ?? [];
    const nowMs = this.#clock.monotonicMs();
    const longestMs = Math.max(...bounds.map(({ windowMs }) => windowMs));
    const timesMs = [...(this.#timesMs.get(id) ?? []).filter((timeMs) => timeMs > nowMs - longestMs), nowMs];
    this.#timesMs.set(id, timesMs);
    const isTooOften = ({ most, windowMs }: Bound) =>
      timesMs.filter((timeMs) => timeMs > nowMs - windowMs).length > most;
    if (bounds.some(isTooOften)) this.#onExcess(key, rule);
  }
}

/** Resets the counts of a CronJob that is suspended and resumed. */
function startOf({ metadata, status }: Job): string {
  return `${metadata.uid} ${status?.startTime}`;
}
