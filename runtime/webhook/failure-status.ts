/** The Status (Go's `metav1.Status`) with which a webhook rejects an object or reports an error. */
import type { ApiStatus } from '../client/errors.ts';
import type { FieldError } from '../kubernetes/field-error.ts';
import type { Resource } from '../kubernetes/resource.ts';

/** A Status with the result `Failure`, which the API server passes on to its client. */
export interface Status extends ApiStatus {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly status: 'Failure';
  /** HTTP status. */
  readonly code: number;
  readonly message: string;
  readonly details?: ApiStatus['details'] & { readonly name: string; readonly group: string; readonly kind: string };
}

/**
 * Returns a Status without details.
 * @param reason A `metav1.StatusReason`, such as `BadRequest`.
 */
export function createFailureStatus(code: number, reason: string, message: string): Status {
  return { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message };
}

/** Maximum number of causes in a Status, because an object may have a million invalid fields. */
const MAX_CAUSES = 50;
const MAX_FIELD_LENGTH = 512;
const MAX_MESSAGE_LENGTH = 1024;
const MAX_NAME_LENGTH = 253;

/** Returns the Status for an invalid object, in the same format as for a built-in kind. Contains at most 50 errors. */
export function createInvalidStatus(
  { group, kind }: Pick<Resource, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): Status {
  const causes = errors.slice(0, MAX_CAUSES).map(({ reason, message, field }) => {
    return { reason, message: truncate(message, MAX_MESSAGE_LENGTH), field: truncate(field, MAX_FIELD_LENGTH) };
  });
  const messages = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  if (errors.length > MAX_CAUSES) messages.push(`${errors.length - MAX_CAUSES} more errors are not shown`);
  const details = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  const truncatedName = truncate(name, MAX_NAME_LENGTH);
  return {
    ...createFailureStatus(422, 'Invalid', `${qualifiedKind} ${JSON.stringify(truncatedName)} is invalid: ${details}`),
    details: { name: truncatedName, group, kind, causes },
  };
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
