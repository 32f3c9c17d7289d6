/** `metav1.Status`: how a webhook says no, and how it says that something went wrong. */
import type { ApiStatus } from '../client/errors.ts';
import type { Resource } from '../client/object.ts';
import type { FieldError } from './admission.ts';

/** A failure in the form that the API server hands on to its clients. */
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

/** What the API server itself answers for a built-in kind with these errors. `name` is that of the object. */
export function invalidStatus(
  { group, kind }: Pick<Resource, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): Status {
  const sentences = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const why = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  return {
    ...failureStatus(422, 'Invalid', `${qualifiedKind} ${JSON.stringify(name)} is invalid: ${why}`),
    details: { name, group, kind, causes: errors.map(({ reason, message, field }) => ({ reason, message, field })) },
  };
}
