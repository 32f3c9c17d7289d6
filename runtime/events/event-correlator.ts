/**
 * Limits the number of requests for events about an object. Repeated events increase the count of the stored Event,
 * which is updated at intervals. See docs/adr/0026-event-series.md.
 */
import type { Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { EventType } from './core-event.ts';
import { COMBINED_HASH, EventSeries, NO_RESPONSE_S, ObjectState, type SeriesKey } from './event-series.ts';
import { hashMessage, hashWording } from './message-wording.ts';

/** An event that a caller records. */
export interface EventOccurrence {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** A series ends after this time without an occurrence, as in client-go. The correlator may then forget the object. */
const SERIES_TIMEOUT_S = 600;
/** Maximum number of Events with the same object and reason. Further messages share one Event, as in client-go. */
const MAX_MESSAGES_PER_REASON = 10;
/** Interval between updates of a Normal Event. */
const UPDATE_INTERVAL_S = 300;
/**
 * If no request was sent for this time, the next occurrence is sent immediately. Therefore, an event that occurs every
 * five minutes is never delayed.
 */
const MIN_IMMEDIATE_SEND_INTERVAL_S = 240;
/** The fractional parts of the multiples of the golden ratio are distributed evenly between 0 and 1. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/**
 * Maximum number of objects per generation. Together, the current and the previous generation need at most 48 MiB of
 * memory.
 */
const MAX_OBJECTS_PER_GENERATION = 65_536;

export class EventCorrelator {
  readonly #clock: Clock;
  /** Objects with an event since {@link #generationStartS}, by UID. */
  #currentGeneration = new Map<string, ObjectState>();
  /** Objects with an event in the interval before {@link #generationStartS}, by UID. */
  #previousGeneration = new Map<string, ObjectState>();
  #generationStartS = 0;
  #nextSerial = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds an occurrence to its series and returns the series. */
  addOccurrence(object: KubernetesObject, { type, reason, message }: EventOccurrence): EventSeries {
    const nowS = this.#nowS;
    const objectState = this.#getObjectState(object, nowS);
    const wordingHash = type === 'Normal' ? hashWording(message) : hashMessage(message);
    const series =
      objectState.find({ type, reason, wordingHash }, nowS - SERIES_TIMEOUT_S) ??
      this.#createSeries(objectState, { type, reason, wordingHash });
    series.count++;
    series.lastOccurrenceS = nowS;
    return series;
  }

  /**
   * Returns the delay in seconds before the next request of the series. The requests for a Warning and the first
   * request for a Normal event use the budget of the object.
   */
  computeDelayS(series: EventSeries): number {
    if (series.type === 'Warning' || series.lastResponseS === NO_RESPONSE_S) return this.takeFromBudget(series);
    const secondsSinceResponse = this.#nowS - series.lastResponseS;
    if (secondsSinceResponse >= MIN_IMMEDIATE_SEND_INTERVAL_S) return 0;
    return Math.max(
      0,
      (series.isDelayedUpdate ? UPDATE_INTERVAL_S : computeFirstUpdateDelayS(series)) - secondsSinceResponse,
    );
  }

  /** Takes a token from the budget of the object and returns 0, or returns the seconds until a token is available. */
  takeFromBudget({ objectState, type }: EventSeries): number {
    return objectState.takeFromBudget(type, this.#nowS);
  }

  /**
   * Records the response to a request of the series. If the API server has not stored the Event, the next occurrence
   * creates the Event.
   */
  recordResponse(series: EventSeries): void {
    series.lastResponseS = series.isStored ? this.#nowS : NO_RESPONSE_S;
  }

  get #nowS(): number {
    return Math.floor(this.#clock.monotonicMs() / 1000);
  }

  /**
   * Returns the series and the budgets of an object. After a time without events, the object may start with new
   * budgets.
   */
  #getObjectState({ kind, metadata }: KubernetesObject, nowS: number): ObjectState {
    const { uid, namespace, name } = metadata;
    const key = uid || `${kind}/${namespace}/${name}`;
    const isGenerationOver = nowS - this.#generationStartS >= SERIES_TIMEOUT_S;
    const currentState = this.#currentGeneration.get(key);
    if (currentState !== undefined && !isGenerationOver) return currentState;
    if (isGenerationOver || this.#currentGeneration.size >= MAX_OBJECTS_PER_GENERATION) this.#startGeneration(nowS);
    const objectState = currentState ?? this.#previousGeneration.get(key) ?? new ObjectState();
    this.#currentGeneration.set(key, objectState);
    return objectState;
  }

  #startGeneration(nowS: number): void {
    this.#previousGeneration = this.#currentGeneration;
    this.#currentGeneration = new Map();
    this.#generationStartS = nowS;
  }

  #createSeries(objectState: ObjectState, seriesKey: SeriesKey): EventSeries {
    const isCombined = objectState.countSeriesOfReason(seriesKey) >= MAX_MESSAGES_PER_REASON - 1;
    const series = new EventSeries(objectState, {
      ...seriesKey,
      wordingHash: isCombined ? COMBINED_HASH : seriesKey.wordingHash,
      serial: this.#nextSerial++,
      firstOccurrenceUnixS: Math.floor(this.#clock.now().getTime() / 1000),
    });
    objectState.add(series);
    return series;
  }
}

/**
 * Returns the delay of the first update, between 2½ and 7½ minutes. The delay differs between series, so that series
 * that start together are updated at different times.
 */
function computeFirstUpdateDelayS({ serial }: EventSeries): number {
  return Math.ceil(UPDATE_INTERVAL_S * (0.5 + ((serial * GOLDEN_RATIO) % 1)));
}
