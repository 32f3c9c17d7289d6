import type { CoreEvent, EventType } from './core-event.ts';

/** Since when something is on its way. `changed`: has counted further while it was being sent. */
type SeriesState = 'idle' | 'held' | 'queued' | 'sending' | 'changed';

/**
 * Occurrences that one stored Event counts. There may be hundreds of thousands of these: an idle one has no text of its own, and
 * instants are whole seconds, which V8 keeps in place. That makes 100 bytes.
 */
export class EventSeries {
  /** Of the object. */
  readonly budget: EventBudget;
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

  constructor(budget: EventBudget, kind: Pick<EventSeries, 'type' | 'reason' | 'wording' | 'serial' | 'firstAtS'>) {
    this.budget = budget;
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

/** How many requests about an object may go out. */
export interface EventBudget {
  /** Takes one from the budget of `type`. Seconds until there is one to take, 0 when it was taken. */
  spend(type: EventType, nowS: number): number;
}

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
