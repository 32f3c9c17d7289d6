/** Error responses like those of a real API server, in the format of Go's `metav1.Status`. */
import type { ApiStatus } from '../../client/errors.ts';
import type { FieldError } from '../../kubernetes/field-error.ts';
import type { Resource } from '../../kubernetes/resource.ts';
import { createFailureStatus, createInvalidStatus } from '../../webhook/failure-status.ts';

/** An error that the server sends as the response to a request. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;
  readonly #details: ApiStatus['details'];

  constructor(code: number, message: string, options: StatusErrorOptions = {}) {
    super(message);
    this.code = code;
    this.reason = options.reason ?? REASON_BY_CODE[code] ?? 'InternalError';
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.#details = options.details;
  }

  get body(): object {
    const status = createFailureStatus(this.code, this.reason, this.message);
    return { ...status, ...(this.#details && { details: this.#details }), metadata: {} };
  }
}

interface StatusErrorOptions {
  readonly reason?: string;
  readonly retryAfterSeconds?: number;
  readonly details?: ApiStatus['details'];
}

export function createInvalidError(
  resource: Pick<Resource, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const { message, details } = createInvalidStatus(resource, name, errors);
  return new StatusError(422, message, { details });
}

/** The API server's default reason for each HTTP status. */
const REASON_BY_CODE: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export function createExpiredError(resourceVersion: number, oldestResourceVersion: number): StatusError {
  return new StatusError(410, `too old resource version: ${resourceVersion} (${oldestResourceVersion})`);
}
