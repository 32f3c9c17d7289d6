import type { CoreEvent, EventType, OptionalEventFields } from './core-event.ts';

/** `changed` means that the event has occurred again since the current request started. */
type DeliveryState = 'idle' | 'delayed' | 'queued' | 'sending' | 'changed';

/**
 * The occurrences that are counted in one stored Event. There may be hundreds of thousands of series, so an idle series
 * needs only 100 bytes: its times are integers, and it stores no message.
 */
export class EventSeries {
  /** State of the object, including its budgets. */
  readonly objectState: ObjectState;
  readonly type: EventType;
  readonly reason: string;
  /** Hash that all messages of the series have: {@link hashWording}, {@link hashMessage} or {@link COMBINED_HASH}. */
  readonly wordingHash: number;
  /** Serial number of the series in its recorder. */
  readonly serial: number;
  /** Time of the first occurrence, in seconds since 1970. */
  readonly firstOccurrenceUnixS: number;
  count = 0;
  /** Next series of the same object in a linked list. */
  nextSeries: EventSeries | undefined;
  /** Time of the last occurrence, in seconds on the monotonic clock. */
  lastOccurrenceS = 0;
  /**
   * Time of the last response of the API server, in seconds on the monotonic clock. {@link NO_RESPONSE_S} if the API
   * server has not created the Event.
   */
  lastResponseS = NO_RESPONSE_S;
  /** Whether the last request was a delayed update. */
  isDelayedUpdate = false;
  isStored = false;
  deliveryState: DeliveryState = 'idle';
  /** Content of the request that is waiting or in flight. `undefined` while the series is idle. */
  pendingEvent: PendingEvent | undefined;

  constructor(
    objectState: ObjectState,
    fields: Pick<EventSeries, 'type' | 'reason' | 'wordingHash' | 'serial' | 'firstOccurrenceUnixS'>,
  ) {
    this.objectState = objectState;
    this.type = fields.type;
    this.reason = fields.reason;
    this.wordingHash = fields.wordingHash;
    this.serial = fields.serial;
    this.firstOccurrenceUnixS = fields.firstOccurrenceUnixS;
  }
}

/** Value of {@link EventSeries.lastResponseS} before the API server has created the Event. */
export const NO_RESPONSE_S = -1;
/** Value of {@link EventSeries.wordingHash} for a series that combines different messages. */
export const COMBINED_HASH = -1;

/** Content of an Event that waits to be sent. */
export interface PendingEvent {
  readonly involvedObject: CoreEvent['involvedObject'];
  /** Message of the last occurrence. */
  message: string;
  /** Optional fields of the last occurrence. */
  optionalFields: OptionalEventFields;
  /** Time of the last occurrence, in seconds since 1970. */
  lastOccurrenceUnixS: number;
  /** Next series in the queue. */
  nextSeries: EventSeries | undefined;
}

/** The content of a waiting event that a further occurrence changes. */
export type PendingContent = Pick<PendingEvent, 'message' | 'optionalFields'>;

/** Maximum number of immediate requests about one object. */
const MAX_BURST = 25;
/**
 * Interval at which the budget regains one request, in seconds. Warnings use the interval of client-go. The interval of
 * Normal Events is shorter, because an object that runs a Job every three minutes records three Normal Events for each
 * Job.
 */
const REFILL_INTERVAL_S = { Warning: 300, Normal: 60 } as const satisfies Record<EventType, number>;

/** Maximum number of series of one object. Reasons come from a fixed set, but a bug may create many reasons. */
const MAX_SERIES_PER_OBJECT = 100;

/** Fields that all occurrences of a series share. */
export type SeriesKey = Pick<EventSeries, 'type' | 'reason' | 'wordingHash'>;

/** State of an object: its series and its budgets. */
export class ObjectState {
  /** The first series in the linked list. */
  #series: EventSeries | undefined;
  /** Time at which the budget of Warnings is full again, in seconds on the monotonic clock. */
  #warningBudgetFullAtS = 0;
  #normalBudgetFullAtS = 0;

  add(series: EventSeries): void {
    series.nextSeries = this.#series;
    this.#series = series;
    let lastSeries = series;
    for (let length = 1; length < MAX_SERIES_PER_OBJECT && lastSeries.nextSeries !== undefined; length++)
      lastSeries = lastSeries.nextSeries;
    lastSeries.nextSeries = undefined;
  }

  /**
   * Returns the series that counts an occurrence, if there is one. Deletes series without occurrences since
   * `minLastOccurrenceS`.
   */
  find({ type, reason, wordingHash }: SeriesKey, minLastOccurrenceS: number): EventSeries | undefined {
    let combinedSeries: EventSeries | undefined;
    let previousSeries: EventSeries | undefined;
    for (let series = this.#series; series !== undefined; series = series.nextSeries) {
      if (series.lastOccurrenceS < minLastOccurrenceS) {
        if (previousSeries === undefined) this.#series = series.nextSeries;
        else previousSeries.nextSeries = series.nextSeries;
        continue;
      }
      previousSeries = series;
      if (series.reason !== reason || series.type !== type) continue;
      if (series.wordingHash === wordingHash) return series;
      if (series.wordingHash === COMBINED_HASH) combinedSeries = series;
    }
    return combinedSeries;
  }

  countSeriesOfReason({ type, reason }: SeriesKey): number {
    let count = 0;
    for (let series = this.#series; series !== undefined; series = series.nextSeries) {
      if (series.reason === reason && series.type === type) count++;
    }
    return count;
  }

  /** Takes a token from the budget of `type` and returns 0, or returns the seconds until a token is available. */
  takeFromBudget(type: EventType, nowS: number): number {
    const refillIntervalS = REFILL_INTERVAL_S[type];
    const budgetFullAtS = Math.max(nowS, type === 'Warning' ? this.#warningBudgetFullAtS : this.#normalBudgetFullAtS);
    const waitS = budgetFullAtS - nowS - (MAX_BURST - 1) * refillIntervalS;
    if (waitS > 0) return waitS;
    if (type === 'Warning') this.#warningBudgetFullAtS = budgetFullAtS + refillIntervalS;
    else this.#normalBudgetFullAtS = budgetFullAtS + refillIntervalS;
    return 0;
  }
}
