import type { CoreEvent, EventType } from './core-event.ts';

/** State of delivery. `changed`: further occurrences were counted while the Event was being sent. */
type DeliveryState = 'idle' | 'delayed' | 'queued' | 'sending' | 'changed';

/**
 * The occurrences that one stored Event counts. There may be hundreds of thousands of series: an idle series holds no
 * text, and times are whole seconds, which V8 stores in place. That makes 100 bytes.
 */
export class EventSeries {
  /** Holds the budget of the object. */
  readonly objectState: ObjectState;
  readonly type: EventType;
  readonly reason: string;
  /** Which messages the series counts: {@link hashWording}, {@link hashMessage} or {@link COMBINED}. */
  readonly wordingHash: number;
  /** Number of the series in its recorder. */
  readonly serial: number;
  /** Seconds since 1970. */
  readonly firstAtS: number;
  count = 0;
  /** The next series of the same object. */
  next: EventSeries | undefined;
  /** Time of the last occurrence, on the correlator's steady clock. */
  lastOccurrenceS = 0;
  /**
   * Time of the API server's last response, on the same clock. Also {@link NEVER} when the server refused to create the
   * Event.
   */
  lastResponseS = NEVER;
  /** Whether the last request was a scheduled update instead of an occurrence after a quiet period. */
  isScheduledUpdate = false;
  isStored = false;
  state: DeliveryState = 'idle';
  /** The text to send, while the series is not idle. */
  pending: PendingEvent | undefined;

  constructor(
    objectState: ObjectState,
    kind: Pick<EventSeries, 'type' | 'reason' | 'wordingHash' | 'serial' | 'firstAtS'>,
  ) {
    this.objectState = objectState;
    this.type = kind.type;
    this.reason = kind.reason;
    this.wordingHash = kind.wordingHash;
    this.serial = kind.serial;
    this.firstAtS = kind.firstAtS;
  }
}

/** {@link EventSeries.lastResponseS} of a series that was not sent. */
export const NEVER = -1;
/** {@link EventSeries.wordingHash} of a series that counts all messages. */
export const COMBINED = -1;

/** The content of an Event to send. */
export interface PendingEvent {
  readonly involvedObject: CoreEvent['involvedObject'];
  /** Message of the last occurrence. */
  message: string;
  /** Time of the last occurrence, in seconds since 1970. */
  lastAtS: number;
  /** The next series in its queue. */
  next: EventSeries | undefined;
}

/** Maximum number of requests about one object in a burst. */
const BUDGET = 25;
/**
 * Seconds until one request is refilled: for Warnings as in client-go; for Normal events fast enough for the three new
 * Events of a run every three minutes.
 */
const REFILL_S = { Warning: 300, Normal: 60 } as const satisfies Record<EventType, number>;

/**
 * Maximum number of remembered series of one object: reasons come from a fixed set, but a bug may produce new ones
 * endlessly.
 */
const MAX_SERIES = 100;

/** The fields that occurrences of one series share. */
export type SeriesKey = Pick<EventSeries, 'type' | 'reason' | 'wordingHash'>;

/** The remembered state of an object: its series and the rest of its budgets. */
export class ObjectState {
  /** Head of a linked list. */
  #series: EventSeries | undefined;
  /** When the budget is full again, in seconds: the whole state of a token bucket. */
  #warningsFullAtS = 0;
  #normalFullAtS = 0;

  add(series: EventSeries): void {
    series.next = this.#series;
    this.#series = series;
    let last = series;
    for (let length = 1; length < MAX_SERIES && last.next !== undefined; length++) last = last.next;
    last.next = undefined;
  }

  /**
   * Returns the series that counts such an occurrence, if it exists. Forgets series that were last seen before
   * `sinceS`.
   */
  find({ type, reason, wordingHash }: SeriesKey, sinceS: number): EventSeries | undefined {
    let combined: EventSeries | undefined;
    let before: EventSeries | undefined;
    for (let series = this.#series; series !== undefined; series = series.next) {
      if (series.lastOccurrenceS < sinceS) {
        if (before === undefined) this.#series = series.next;
        else before.next = series.next;
        continue;
      }
      before = series;
      if (series.reason !== reason || series.type !== type) continue;
      if (series.wordingHash === wordingHash) return series;
      if (series.wordingHash === COMBINED) combined = series;
    }
    return combined;
  }

  countSimilar({ type, reason }: SeriesKey): number {
    let count = 0;
    for (let series = this.#series; series !== undefined; series = series.next) {
      if (series.reason === reason && series.type === type) count++;
    }
    return count;
  }

  /**
   * Takes one request from the budget of `type`. Returns the seconds until one is available, or 0 when it was taken.
   */
  takeFromBudget(type: EventType, nowS: number): number {
    const refillS = REFILL_S[type];
    const fullAtS = Math.max(nowS, type === 'Warning' ? this.#warningsFullAtS : this.#normalFullAtS);
    const waitS = fullAtS - nowS - (BUDGET - 1) * refillS;
    if (waitS > 0) return waitS;
    if (type === 'Warning') this.#warningsFullAtS = fullAtS + refillS;
    else this.#normalFullAtS = fullAtS + refillS;
    return 0;
  }
}
