/**
 * Prevents events about a busy object from flooding the API server: it counts repetitions in the stored Event, and
 * updates the Event at intervals. docs/adr/0026-event-series.md.
 */
import type { Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { EventType } from './core-event.ts';
import { COMBINED, EventSeries, NEVER, ObjectState } from './event-series.ts';
import { hashMessage, hashWording } from './message-wording.ts';

/** An event about an object, before it is counted. */
export interface Occurrence {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/**
 * An occurrence counts as new after this much time without one, as in client-go. Also the minimum time for which an
 * object is remembered.
 */
const QUIET_S = 600;
/** From this number of different messages on, all messages of an object and reason share one Event, as in client-go. */
const MAX_MESSAGES = 10;
/** Interval between updates of a Normal series' Event. */
const UPDATE_S = 300;
/**
 * An occurrence this long after the last request is sent at once, so that events of runs every five minutes are never
 * delayed.
 */
const AT_ONCE_AFTER_S = 240;
/** The fractional parts of its multiples are spread evenly over 0 to 1, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/**
 * Objects in each of the two generations. An object with three series takes 370 bytes, so all of them take at most 48
 * MiB.
 */
const MAX_OBJECTS = 65_536;

export class EventCorrelator {
  readonly #clock: Clock;
  /** By UID. Objects with an event since {@link #generationStartS}. */
  #recent = new Map<string, ObjectState>();
  /** Objects with an event in the generation before. */
  #old = new Map<string, ObjectState>();
  #generationStartS = 0;
  #serials = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the occurrence in its series. */
  count(object: KubernetesObject, { type, reason, message }: Occurrence): EventSeries {
    const nowS = this.#nowS;
    const state = this.#getState(object, nowS);
    const wordingHash = type === 'Normal' ? hashWording(message) : hashMessage(message);
    const series =
      state.find({ type, reason, wordingHash }, nowS - QUIET_S) ??
      this.#createSeries(state, { type, reason, wordingHash });
    series.count++;
    series.lastOccurrenceS = nowS;
    return series;
  }

  /** Returns the seconds until the series may be sent. 0 means now, and takes one request from the object's budget. */
  computeDelayS(series: EventSeries): number {
    if (series.type === 'Warning' || series.lastResponseS === NEVER) return this.takeFromBudget(series);
    const sinceS = this.#nowS - series.lastResponseS;
    if (sinceS >= AT_ONCE_AFTER_S) return 0;
    return Math.max(0, (series.isScheduledUpdate ? UPDATE_S : computeFirstUpdateS(series)) - sinceS);
  }

  /** Takes one request from the object's budget. Returns the seconds until one is available, or 0 when it was taken. */
  takeFromBudget({ objectState: state, type }: EventSeries): number {
    return state.takeFromBudget(type, this.#nowS);
  }

  /**
   * Records the end of a request of the series. If its Event could not be created, the next occurrence starts a new
   * one.
   */
  recordResponse(series: EventSeries): void {
    series.lastResponseS = series.isStored ? this.#nowS : NEVER;
  }

  get #nowS(): number {
    return Math.floor(this.#clock.monotonicMs() / 1000);
  }

  /**
   * Forgetting an object does no harm: its next event becomes a new Event. So whole generations are forgotten at once.
   */
  #getState({ kind, metadata }: KubernetesObject, nowS: number): ObjectState {
    const { uid, namespace, name } = metadata;
    const key = uid || `${kind}/${namespace}/${name}`;
    const isOver = nowS - this.#generationStartS >= QUIET_S;
    const recent = this.#recent.get(key);
    if (recent !== undefined && !isOver) return recent;
    if (isOver || this.#recent.size >= MAX_OBJECTS) this.#startGeneration(nowS);
    const state = recent ?? this.#old.get(key) ?? new ObjectState();
    this.#recent.set(key, state);
    return state;
  }

  #startGeneration(nowS: number): void {
    this.#old = this.#recent;
    this.#recent = new Map();
    this.#generationStartS = nowS;
  }

  #createSeries(state: ObjectState, kind: Pick<EventSeries, 'type' | 'reason' | 'wordingHash'>): EventSeries {
    const isCombined = state.countSimilar(kind) >= MAX_MESSAGES - 1;
    const series = new EventSeries(state, {
      ...kind,
      wordingHash: isCombined ? COMBINED : kind.wordingHash,
      serial: this.#serials++,
      firstAtS: Math.floor(this.#clock.now().getTime() / 1000),
    });
    state.add(series);
    return series;
  }
}

/**
 * Differs per series, 2½ to 7½ minutes, so that series that start in the same second are not updated in the same
 * second.
 */
function computeFirstUpdateS({ serial }: EventSeries): number {
  return Math.ceil(UPDATE_S * (0.5 + ((serial * GOLDEN_RATIO) % 1)));
}
