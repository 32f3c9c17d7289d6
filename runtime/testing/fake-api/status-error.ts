/** Error responses with the same content as from an API server: Go's `metav1.Status`. */
import { createFailureStatus, type Status } from '../../webhook/status.ts';

/** The server converts this error to the response of the request. */
export class StatusError extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: number, message: string, options: { reason?: string; retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.reason = options.reason ?? REASONS[code] ?? 'InternalError';
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get body(): Status & { readonly metadata: Readonly<Record<string, never>> } {
    return { ...createFailureStatus(this.code, this.reason, this.message), metadata: {} };
  }
}

/** The API server's default reason for each HTTP status. */
const REASONS: Readonly<Record<number, string>> = {
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

export function expiredError(version: number, oldest: number): StatusError {
  return new StatusError(410, `too old resource version: ${version} (${oldest})`);
}
