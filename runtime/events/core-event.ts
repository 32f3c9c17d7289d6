/** The core/v1 Event in the form that the recorder writes. */
import type { Event } from '../kubernetes/core.ts';

export type EventType = 'Normal' | 'Warning';

/** An Event with the fields that the recorder always sets. */
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
  /** RFC 3339, whole seconds, like {@link lastTimestamp}. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

const MAX_NAME_LENGTH = 253;

/** `<object>.<hex>`, as in client-go; the hex part is nanoseconds. */
export function eventName(objectName: string, nanoseconds: bigint): string {
  const suffix = nanoseconds.toString(16);
  const prefix = objectName.slice(0, MAX_NAME_LENGTH - suffix.length - 1).replace(/[.-]+$/, '');
  return `${prefix}.${suffix}`;
}

/**
 * `metav1.Time`.
 * @param seconds Since 1970, whole.
 */
export function formatSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
