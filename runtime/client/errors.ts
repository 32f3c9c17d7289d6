/** Predicates for errors between the client and the API server. They never match message texts. */

/** `metav1.StatusCause`: one invalid field, or one machine-readable reason. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** `metav1.Status` of failed requests and watch errors. */
export interface ApiStatus {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** The API server answered with an error. Transport failures (reset, timeout) are other errors. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, for example 409. */
  readonly code: number;
  /** `metav1.StatusReason`, for example `AlreadyExists`; empty when the response has no reason. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** Wait that the server requested, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: number, status: ApiStatus, retryAfterMs?: number) {
    super(status.message ?? `the API server returned ${code}`);
    this.code = code;
    this.reason = status.reason ?? '';
    this.causes = status.details?.causes ?? [];
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  }
}

/** The response of the API server exceeded the limit. Its content is unknown. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
  /** HTTP status: the outcome of the request is known. */
  readonly code: number;

  constructor(code: number, maxBytes: number) {
    super(`the API server returned ${code} with more than ${maxBytes} bytes`);
    this.code = code;
  }
}

/** The response did not come from an API server, but from a proxy or a login page, or it was cut off. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
  /** A code like the codes of network errors: the next response may be different. */
  readonly code = 'ERR_NOT_KUBERNETES';
}

/**
 * The first ApiError in `error`'s chain of causes, so that predicates still match an error that was wrapped with
 * context.
 */
export function findApiError(error: unknown): ApiError | undefined {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (current instanceof ApiError) return current;
    current = current.cause;
  }
  return undefined;
}

/** Whether the object or the kind does not exist. */
export function isNotFound(error: unknown): boolean {
  return findApiError(error)?.code === 404;
}

/** The outcome of a call, or `undefined` when the object does not exist. */
export function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  return ignoreError(isNotFound, call);
}

/** The outcome of a call, or `undefined` when the name is already taken. */
export function ignoreAlreadyExists<T>(call: Promise<T>): Promise<T | undefined> {
  return ignoreError(isAlreadyExists, call);
}

/** Whether the object changed since it was read: read it and decide again. */
export function isConflict(error: unknown): boolean {
  const apiError = findApiError(error);
  return apiError?.code === 409 && apiError.reason !== 'AlreadyExists';
}

/** Whether another object has the name. */
export function isAlreadyExists(error: unknown): boolean {
  const apiError = findApiError(error);
  return apiError?.code === 409 && apiError.reason === 'AlreadyExists';
}

/** Whether the resource version is too old to continue from: list again. */
export function isExpired(error: unknown): boolean {
  return findApiError(error)?.code === 410;
}

/** Whether the object does not fit its schema, or an admission check rejected it. */
export function isInvalid(error: unknown): boolean {
  return findApiError(error)?.code === 422;
}

/** Whether the namespace is terminating, so that nothing can be created in it. */
export function isNamespaceTerminating(error: unknown): boolean {
  const causes = findApiError(error)?.causes ?? [];
  return causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/**
 * Whether the server rejected the request itself: repeating it unchanged does not help soon. False for 429, which only
 * asks the client to wait, and for 409, which means that something changed meanwhile (such as a quota's usage).
 */
export function isRequestRejected(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code !== undefined && code >= 400 && code < 500 && code !== 409 && code !== 429;
}

async function ignoreError<T>(isExpected: (error: unknown) => boolean, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
