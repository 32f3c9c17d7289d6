import type { Event } from '../kubernetes/core.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/** Type of an Event: `Warning` if a user should act, else `Normal`. */
export type EventType = 'Normal' | 'Warning';

/** Optional fields of an Event. */
export interface EventDetails {
  /** What the controller did, or tried to do, in CamelCase, such as `Create`. Default: the Event has no action. */
  readonly action?: string;
  /** Another object that took part in the action, such as a created Job. Default: no object. */
  readonly related?: KubernetesObject;
}

/** A reference from an Event to an object. */
export interface EventObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A core/v1 Event with the fields that the recorder always sets. */
export interface CoreEvent extends Event {
  readonly involvedObject: EventObjectReference;
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
  readonly action?: string;
  readonly related?: EventObjectReference;
}

/** The optional fields of an Event: `action` and `related`. */
export type OptionalEventFields = Pick<CoreEvent, 'action' | 'related'>;

/** An event that a caller records. */
export interface RecordedEvent extends Pick<CoreEvent, 'type' | 'reason' | 'message'> {
  readonly optionalFields: OptionalEventFields;
}

const MAX_NAME_LENGTH = 253;
const MAX_MESSAGE_LENGTH = 1024;
/** All events without details share this object, to save memory. */
const NO_OPTIONAL_FIELDS: OptionalEventFields = {};

export function createRecordedEvent(
  type: EventType,
  reason: string,
  message: string,
  details?: EventDetails,
): RecordedEvent {
  const optionalFields = details === undefined ? NO_OPTIONAL_FIELDS : toOptionalFields(details);
  return { type, reason, message: truncateMessage(message), optionalFields };
}

export function createObjectReference({ apiVersion, kind, metadata }: KubernetesObject): EventObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid, resourceVersion };
}

function toOptionalFields({ action, related }: EventDetails): OptionalEventFields {
  return { ...(action !== undefined && { action }), ...(related && { related: createObjectReference(related) }) };
}

/** Truncates a long message. Copies the result, because a slice would keep the whole message in memory. */
function truncateMessage(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return Buffer.from(message.slice(0, MAX_MESSAGE_LENGTH)).toString();
}

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
