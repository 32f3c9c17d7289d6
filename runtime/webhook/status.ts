/** `metav1.Status`: how a webhook rejects an object or reports an error. */
import type { ApiStatus } from '../client/errors.ts';
import type { FieldError } from '../kubernetes/field-error.ts';
import type { Resource } from '../kubernetes/resource.ts';

/** A failure in the form that the API server passes to its clients. */
export interface Status extends ApiStatus {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly status: 'Failure';
  /** HTTP status. */
  readonly code: number;
  readonly message: string;
  readonly details?: ApiStatus['details'] & { readonly name: string; readonly group: string; readonly kind: string };
}

/** A failure without details. `reason` is a `metav1.StatusReason`. */
export function failureStatus(code: number, reason: string, message: string): Status {
  return { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message };
}

/** More causes help no reader. One object may have a million faults. */
const MAX_CAUSES = 50;
/** Maximum length of a path and of its message, in characters. */
const MAX_FIELD_LENGTH = 512;
const MAX_MESSAGE_LENGTH = 1024;
/** Maximum length of a name, in characters. */
const MAX_NAME_LENGTH = 253;

/**
 * Returns the API server's response for a built-in kind with these errors, or with the first fifty of them. `name` is the
 * name of the object.
 */
export function invalidStatus(
  { group, kind }: Pick<Resource, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): Status {
  const causes = errors.slice(0, MAX_CAUSES).map(({ reason, message, field }) => {
    return { reason, message: cut(message, MAX_MESSAGE_LENGTH), field: cut(field, MAX_FIELD_LENGTH) };
  });
  const sentences = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  if (errors.length > MAX_CAUSES) sentences.push(`${errors.length - MAX_CAUSES} more errors are not shown`);
  const why = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  const shownName = cut(name, MAX_NAME_LENGTH);
  return {
    ...failureStatus(422, 'Invalid', `${qualifiedKind} ${JSON.stringify(shownName)} is invalid: ${why}`),
    details: { name: shownName, group, kind, causes },
  };
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
