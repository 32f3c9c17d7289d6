/**
 * Keeps events about a busy object from flooding the API server: what repeats is counted in the stored Event, and the Event is
 * brought up to date now and then. docs/adr/0026-event-series.md.
 */
import type { Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { EventType } from './core-event.ts';
import { COMBINED, EventSeries, NEVER, ObjectMemory } from './event-series.ts';
import { hashOf, wordingOf } from './message-wording.ts';

/** Something that happened to an object. */
export interface Occurrence {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** How long something must not have happened to count as new, as in client-go. Also how long an object is remembered at least. */
const QUIET_S = 600;
/** From this many different messages on, the object and reason share one Event, as in client-go. */
const MAX_MESSAGES = 10;
/** How often the Event of a Normal series is brought up to date while it goes on. */
const UPDATE_S = 300;
/** What comes so long after the last request is sent at once: runs every five minutes are never held back. */
const AT_ONCE_AFTER_S = 240;
/** Multiples of it, without their whole part, are spread evenly over 0 to 1, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Objects in each of the two generations. One with three series takes 370 bytes, so all of them 48 MiB at most. */
const MAX_OBJECTS = 65_536;

export class EventCorrelator {
  readonly #clock: Clock;
  /** By UID. Objects that something has happened to since {@link #agedAtS}. */
  #recent = new Map<string, ObjectMemory>();
  /** Objects that something had happened to in the generation before. */
  #old = new Map<string, ObjectMemory>();
  #agedAtS = 0;
  #serials = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the occurrence in its series. */
  count(object: KubernetesObject, { type, reason, message }: Occurrence): EventSeries {
    const nowS = this.#nowS;
    const memory = this.#recall(object, nowS);
    const wording = type === 'Normal' ? wordingOf(message) : hashOf(message);
    const series =
      memory.find({ type, reason, wording }, nowS - QUIET_S) ?? this.#begin(memory, { type, reason, wording });
    series.count++;
    series.seenAtS = nowS;
    return series;
  }

  /** Seconds until the series may be sent; 0 for now, which takes from the object's budget. */
  heldS(series: EventSeries): number {
    if (series.type === 'Warning' || series.sentAtS === NEVER) return this.spend(series);
    const sinceS = this.#nowS - series.sentAtS;
    if (sinceS >= AT_ONCE_AFTER_S) return 0;
    return Math.max(0, (series.isSteady ? UPDATE_S : firstUpdateS(series)) - sinceS);
  }

  /** Takes from the object's budget. Seconds until there is one to take, 0 when it was taken. */
  spend({ memory, type }: EventSeries): number {
    return memory.spend(type, this.#nowS);
  }

  /** A request of the series is over. One whose Event could not be created is begun anew by the next occurrence. */
  answered(series: EventSeries): void {
    series.sentAtS = series.isStored ? this.#nowS : NEVER;
  }

  get #nowS(): number {
    return Math.floor(this.#clock.monotonicMs() / 1000);
  }

  /** To forget an object does no harm: its next event is a new Event. So whole generations are forgotten at once. */
  #recall({ kind, metadata }: KubernetesObject, nowS: number): ObjectMemory {
    const { uid, namespace, name } = metadata;
    const key = uid || `${kind}/${namespace}/${name}`;
    const isOver = nowS - this.#agedAtS >= QUIET_S;
    const recent = this.#recent.get(key);
    if (recent !== undefined && !isOver) return recent;
    if (isOver || this.#recent.size >= MAX_OBJECTS) this.#age(nowS);
    const memory = recent ?? this.#old.get(key) ?? new ObjectMemory();
    this.#recent.set(key, memory);
    return memory;
  }

  #age(nowS: number): void {
    this.#old = this.#recent;
    this.#recent = new Map();
    this.#agedAtS = nowS;
  }

  #begin(memory: ObjectMemory, kind: Pick<EventSeries, 'type' | 'reason' | 'wording'>): EventSeries {
    const isOneOfMany = memory.countAlike(kind) >= MAX_MESSAGES - 1;
    const series = new EventSeries(memory, {
      ...kind,
      wording: isOneOfMany ? COMBINED : kind.wording,
      serial: this.#serials++,
      firstAtS: Math.floor(this.#clock.now().getTime() / 1000),
    });
    memory.add(series);
    return series;
  }
}

/** Different for each series, so that what began in one second is not brought up to date in one second: 2½ to 7½ minutes. */
function firstUpdateS({ serial }: EventSeries): number {
  return Math.ceil(UPDATE_S * (0.5 + ((serial * GOLDEN_RATIO) % 1)));
}
