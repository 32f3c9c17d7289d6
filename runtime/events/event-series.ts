import type { CoreEvent, EventType } from './core-event.ts';

/** Since when something is on its way. `changed`: has counted further while it was being sent. */
type SeriesState = 'idle' | 'held' | 'queued' | 'sending' | 'changed';

/**
 * Occurrences that one stored Event counts. There may be hundreds of thousands of these: an idle one has no text of its own, and
 * instants are whole seconds, which V8 keeps in place. That makes 100 bytes.
 */
export class EventSeries {
  /** Has the budget of the object. */
  readonly memory: ObjectMemory;
  readonly type: EventType;
  readonly reason: string;
  /** Which messages count in it: {@link wordingOf}, {@link hashOf} or {@link COMBINED}. */
  readonly wording: number;
  /** Counts the series of a recorder. */
  readonly serial: number;
  /** Seconds since 1970. */
  readonly firstAtS: number;
  count = 0;
  /** The next one about the same object. */
  next: EventSeries | undefined;
  /** Of the last occurrence, on the correlator's steady clock. */
  seenAtS = 0;
  /** When the API server last answered, on the same clock. {@link NEVER} also when it refused to create the Event. */
  sentAtS = NEVER;
  /** Sent on when its time had come, not for an occurrence after quiet. */
  isSteady = false;
  isStored = false;
  state: SeriesState = 'idle';
  /** Text, while it is not idle. */
  pending: PendingEvent | undefined;

  constructor(memory: ObjectMemory, kind: Pick<EventSeries, 'type' | 'reason' | 'wording' | 'serial' | 'firstAtS'>) {
    this.memory = memory;
    this.type = kind.type;
    this.reason = kind.reason;
    this.wording = kind.wording;
    this.serial = kind.serial;
    this.firstAtS = kind.firstAtS;
  }
}

/** {@link EventSeries.sentAtS} of one that was not sent. */
export const NEVER = -1;
/** {@link EventSeries.wording} of a series that takes whatever message comes. */
export const COMBINED = -1;

/** What an Event says. */
export interface PendingEvent {
  readonly involvedObject: CoreEvent['involvedObject'];
  /** Of the last occurrence. */
  message: string;
  /** Of the last occurrence. Seconds since 1970. */
  lastAtS: number;
  /** The one behind it in its queue. */
  next: EventSeries | undefined;
}

/** Requests about one object that may go out at once. */
const BUDGET = 25;
/** How soon one comes back: for Warnings as in client-go; for others often enough for the three new Events of a run every three minutes. */
const REFILL_S = { Warning: 300, Normal: 60 } as const satisfies Record<EventType, number>;

/** Series of one object that are remembered: reasons are from a fixed set, but a mistake may make ever new ones. */
const MAX_SERIES = 100;

/** What makes occurrences count in one series. */
export type SeriesKind = Pick<EventSeries, 'type' | 'reason' | 'wording'>;

/** What is remembered of an object: its series, and what is left of its budgets. */
export class ObjectMemory {
  /** The first of a list. */
  #series: EventSeries | undefined;
  /** When the budget is whole again, in seconds: all that a token bucket has to know. */
  #warningsWholeAtS = 0;
  #othersWholeAtS = 0;

  add(series: EventSeries): void {
    series.next = this.#series;
    this.#series = series;
    let last = series;
    for (let length = 1; length < MAX_SERIES && last.next !== undefined; length++) last = last.next;
    last.next = undefined;
  }

  /** The series that such an occurrence counts in, if there is one. Forgets those that were last seen before `sinceS`. */
  find({ type, reason, wording }: SeriesKind, sinceS: number): EventSeries | undefined {
    let combined: EventSeries | undefined;
    let before: EventSeries | undefined;
    for (let series = this.#series; series !== undefined; series = series.next) {
      if (series.seenAtS < sinceS) {
        if (before === undefined) this.#series = series.next;
        else before.next = series.next;
        continue;
      }
      before = series;
      if (series.reason !== reason || series.type !== type) continue;
      if (series.wording === wording) return series;
      if (series.wording === COMBINED) combined = series;
    }
    return combined;
  }

  countAlike({ type, reason }: SeriesKind): number {
    let count = 0;
    for (let series = this.#series; series !== undefined; series = series.next) {
      if (series.reason === reason && series.type === type) count++;
    }
    return count;
  }

  /** Takes one request from the budget of `type`. Seconds until there is one to take, 0 when it was taken. */
  spend(type: EventType, nowS: number): number {
    const refillS = REFILL_S[type];
    const wholeAtS = Math.max(nowS, type === 'Warning' ? this.#warningsWholeAtS : this.#othersWholeAtS);
    const waitS = wholeAtS - nowS - (BUDGET - 1) * refillS;
    if (waitS > 0) return waitS;
    if (type === 'Warning') this.#warningsWholeAtS = wholeAtS + refillS;
    else this.#othersWholeAtS = wholeAtS + refillS;
    return 0;
  }
}
