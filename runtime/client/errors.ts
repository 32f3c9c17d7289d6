/** A `metav1.StatusCause`: an invalid field or a machine-readable reason. */
export interface StatusCause {
  /** Machine-readable reason, such as `FieldValueInvalid`. */
  readonly reason?: string;
  /** Message for users. */
  readonly message?: string;
  /** Path of the invalid field, such as `spec.replicas`. */
  readonly field?: string;
}

/** A `metav1.Status`: the response to a failed request, or an error in a watch. */
export interface ApiStatus {
  /** HTTP status code of the response. */
  readonly code?: number;
  /** Machine-readable reason, such as `NotFound`, `AlreadyExists` or `Conflict`. */
  readonly reason?: string;
  /** Message for users. */
  readonly message?: string;
  /** The causes of the error, and the time after which the client may try again. */
  readonly details?: {
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** The API server responded with an error. Timeouts and connection errors are not of this type. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status code, for example 409. */
  readonly code: number;
  /** `metav1.StatusReason`, for example `AlreadyExists`. An empty text if the response contains no reason. */
  readonly reason: string;
  /**
   * The causes of the error, such as one for each invalid field. The list is empty if the API server reports no causes.
   */
  readonly causes: readonly StatusCause[];
  /** Wait before a retry, in milliseconds, as requested by the API server. */
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

/** The response of the API server exceeded the maximum size. The client did not read the whole response. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
  /** HTTP status code of the response. */
  readonly code: number;

  constructor(code: number, maxBytes: number) {
    super(`the API server returned ${code} with more than ${maxBytes} bytes`);
    this.code = code;
  }
}

/** The response is incomplete, or comes from a proxy or a login page instead of an API server. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
  /** Error code in the style of the network errors of Node. */
  readonly code = 'ERR_NOT_KUBERNETES';
}

/**
 * Returns the first {@link ApiError} in the chain of causes of an error.
 */
export function findApiError(error: unknown): ApiError | undefined {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (current instanceof ApiError) return current;
    current = current.cause;
  }
  return undefined;
}

/** Returns whether a request failed because the object or the kind does not exist. */
export function isNotFound(error: unknown): boolean {
  return findApiError(error)?.code === 404;
}

/** Returns the result of a call, or `undefined` if the object does not exist. */
export function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  return ignoreError(isNotFound, request);
}

/** Returns the result of a call, or `undefined` if an object of this name already exists. */
export function ignoreAlreadyExists<T>(request: Promise<T>): Promise<T | undefined> {
  return ignoreError(isAlreadyExists, request);
}

/**
 * Returns whether a write failed because another client has changed the object since it was read. After a conflict,
 * read the object again before you retry.
 */
export function isConflict(error: unknown): boolean {
  const apiError = findApiError(error);
  return apiError?.code === 409 && apiError.reason !== 'AlreadyExists';
}

/** Returns whether a create failed because an object of this name already exists. */
export function isAlreadyExists(error: unknown): boolean {
  const apiError = findApiError(error);
  return apiError?.code === 409 && apiError.reason === 'AlreadyExists';
}

/**
 * Returns whether a list or a watch failed because its resource version has expired. When the version has expired, list
 * the objects again.
 */
export function isExpired(error: unknown): boolean {
  return findApiError(error)?.code === 410;
}

/** Returns whether a write failed because the object is invalid: its schema or an admission check rejected it. */
export function isInvalid(error: unknown): boolean {
  return findApiError(error)?.code === 422;
}

/**
 * Returns whether the API server forbids the request: the client lacks the permission, or a quota, a webhook or a
 * terminating namespace rejects the request.
 */
export function isForbidden(error: unknown): boolean {
  return findApiError(error)?.code === 403;
}

/**
 * Returns whether the API server asks the client to try again later. An eviction fails with this error while a
 * PodDisruptionBudget does not allow it.
 */
export function isTooManyRequests(error: unknown): boolean {
  return findApiError(error)?.code === 429;
}

/** Returns whether a create failed because the namespace is terminating. */
export function isNamespaceTerminating(error: unknown): boolean {
  const causes = findApiError(error)?.causes ?? [];
  return causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/**
 * Returns whether the API server rejected the request, so that a retry would fail again. For the status 409 or 429, the
 * result is false, because a retry may succeed.
 */
export function isRequestRejected(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code !== undefined && code >= 400 && code < 500 && code !== 409 && code !== 429;
}

async function ignoreError<T>(isExpected: (error: unknown) => boolean, request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
