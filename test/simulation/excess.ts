/** What one process may not do too often. */
import type { Job } from '../../api/kubernetes.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import type { Pass } from './pass.ts';
import { Rate } from './rate.ts';

const HOUR_MS = 3_600_000;
/** Passes of one CronJob at one instant: several events may arrive together. */
const MOST_AT_ONCE = 30;
/** Deletes of Jobs that are denied, of one CronJob in an hour. */
const MOST_DENIED_DELETES = 10;
/** Creates of Jobs that are refused, of one CronJob: a try for each slot and edit, and some that follow closely on one another. */
const REFUSED_CREATES = [
  { most: 20, windowMs: 10_000 },
  { most: 200, windowMs: HOUR_MS },
];
/** Status writes of one CronJob: edits may follow closely on one another, and Jobs end together. */
const STATUS_WRITES = [
  { most: 50, windowMs: 10_000 },
  { most: 1000, windowMs: HOUR_MS },
];
/** Events of one CronJob that say the same, in an hour. */
const MOST_SAME_EVENTS = 20;

interface Bound {
  readonly most: number;
  readonly rate: Rate;
}

/** It happens once more. */
function isTooOften(bounds: readonly Bound[], key: string): boolean {
  return bounds.map(({ most, rate }) => rate.note(key) > most).includes(true);
}

export class Excess {
  /** Called with the key and the rule that is broken. It may go on without end: the process must not. */
  readonly #onExcess: (key: string, rule: string) => void;
  readonly #deniedDeletes: Rate;
  readonly #sameEvents: Rate;
  readonly #refusedCreates: readonly Bound[];
  readonly #statusWrites: readonly Bound[];
  /** Starts of Jobs that it knows all about. */
  readonly #judged = new Set<string>();
  /** When the last pass of each key began, and how many did before it at that very instant. */
  readonly #lastInstants = new Map<string, { readonly instantMs: number; readonly count: number }>();

  constructor(clock: Clock, onExcess: (key: string, rule: string) => void) {
    this.#onExcess = onExcess;
    this.#deniedDeletes = new Rate(clock, HOUR_MS);
    this.#sameEvents = new Rate(clock, HOUR_MS);
    const bound = ({ most, windowMs }: { most: number; windowMs: number }) => ({
      most,
      rate: new Rate(clock, windowMs),
    });
    this.#refusedCreates = REFUSED_CREATES.map(bound);
    this.#statusWrites = STATUS_WRITES.map(bound);
  }

  /** Passes that do nothing and still come one after the other, in no time, would never end. */
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
    if (isTooOften(this.#statusWrites, key)) this.#onExcess(key, 'a status is not written over and over');
  }

  noteRefusedCreate({ key }: Pass): void {
    if (isTooOften(this.#refusedCreates, key))
      this.#onExcess(key, 'a create that is refused is not sent over and over');
  }

  noteDeniedDelete({ key, view }: Pass): void {
    if (this.#deniedDeletes.note(view?.metadata.uid ?? key) <= MOST_DENIED_DELETES) return;
    this.#onExcess(key, `deletes that are denied are sent ${MOST_DENIED_DELETES} times an hour at most`);
  }

  /** Of a success that is expected within seconds there is much to tell: each change has a rule of its own. */
  noteEvent({ key }: Pass, reason: string, message: string): void {
    if (reason === 'Overdue' || reason === 'NotOverdue') return;
    if (this.#sameEvents.note(`${key} ${reason} ${message}`) <= MOST_SAME_EVENTS) return;
    this.#onExcess(key, `an event is not repeated over and over (${reason})`);
  }
}

/** One that is suspended and resumed starts anew. */
function startOf({ metadata, status }: Job): string {
  return `${metadata.uid} ${status?.startTime}`;
}
