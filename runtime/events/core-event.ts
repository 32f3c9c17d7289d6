import type { Event } from '../kubernetes/core.ts';

/** Type of an Event: `Warning` if a user should act, else `Normal`. */
export type EventType = 'Normal' | 'Warning';

/** A core/v1 Event with the fields that the recorder always sets. */
export interface CoreEvent extends Event {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** Time in RFC 3339 format, in whole seconds. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

const MAX_NAME_LENGTH = 253;

/** Returns the name `<object>.<nanoseconds in hexadecimal>`, as client-go does. */
export function formatEventName(objectName: string, nanoseconds: bigint): string {
  const suffix = nanoseconds.toString(16);
  const prefix = objectName.slice(0, MAX_NAME_LENGTH - suffix.length - 1).replace(/[.-]+$/, '');
  return `${prefix}.${suffix}`;
}

/**
 * Formats a time as `metav1.Time`.
 * @param seconds Whole seconds since 1970.
 */
export function formatSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
