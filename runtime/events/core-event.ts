/** The core/v1 Event, as it is written. */
import type { Event } from '../kubernetes/core.ts';
import type { EventType } from './event-correlator.ts';

/** An Event as the recorder writes it: these parts are always there. */
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
  /** RFC 3339, whole seconds, as {@link lastTimestamp}. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

const MAX_NAME_LENGTH = 253;

/** `<object>.<hex>`, as client-go's; the hex are nanoseconds there, here milliseconds and a count. */
export function newEventName(objectName: string, now: Date, count: number): string {
  const suffix = (BigInt(now.getTime()) * 1_000_000n + BigInt(count % 1_000_000)).toString(16);
  const prefix = objectName.slice(0, MAX_NAME_LENGTH - suffix.length - 1).replace(/[.-]+$/, '');
  return `${prefix}.${suffix}`;
}

/** `metav1.Time`. */
export function wholeSeconds(instant: Date): string {
  return instant.toISOString().replace(/\.\d+Z$/, 'Z');
}
