/** What can go wrong between us and the API server, as a vocabulary of predicates. Nothing matches message texts. */

/** `metav1.StatusCause`: one field that was refused, or one machine-readable reason. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** `metav1.Status` as failed requests and watch errors carry it. */
export interface ApiStatus {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** The API server answered, and the answer was no. Transport failures (reset, timeout) are other errors. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, for example 409. */
  readonly code: number;
  /** `metav1.StatusReason`, for example `AlreadyExists`; empty when the answer had none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** Wait that the server asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: number, status: ApiStatus, retryAfterMs?: number) {
    super(status.message ?? `the API server answered ${code}`);
    this.code = code;
    this.reason = status.reason ?? '';
    this.causes = status.details?.causes ?? [];
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  }
}

/** The API server answered with more than was asked for. What it said is unknown. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
  /** HTTP status: it is known whether the answer was yes or no. */
  readonly code: number;

  constructor(code: number, maxBytes: number) {
    super(`the API server answered ${code} with more than ${maxBytes} bytes`);
    this.code = code;
  }
}

/** What answered is no API server: a proxy, a login page, or a server whose answer was cut off. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  /** As errors of the network have one: the next answer may be another. */
  readonly code = 'ERR_NOT_KUBERNETES';
}

/** The first ApiError in `error`'s chain of causes, so that wrapping an error with context keeps it classifiable. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (current instanceof ApiError) return current;
    current = current.cause;
  }
  return undefined;
}

/** The object, or the kind, does not exist. */
export function isNotFound(error: unknown): boolean {
  return apiErrorOf(error)?.code === 404;
}

/** The outcome of a call, or `undefined` when what it asks for does not exist. */
export function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  return unless(isNotFound, call);
}

/** The outcome of a call, or `undefined` when the name is taken already. */
export function ignoreAlreadyExists<T>(call: Promise<T>): Promise<T | undefined> {
  return unless(isAlreadyExists, call);
}

/** The object changed since it was read: read again and decide again. */
export function isConflict(error: unknown): boolean {
  const apiError = apiErrorOf(error);
  return apiError?.code === 409 && apiError.reason !== 'AlreadyExists';
}

/** Another object has the name. */
export function isAlreadyExists(error: unknown): boolean {
  const apiError = apiErrorOf(error);
  return apiError?.code === 409 && apiError.reason === 'AlreadyExists';
}

/** The resource version is too old to continue from: list again. */
export function isExpired(error: unknown): boolean {
  return apiErrorOf(error)?.code === 410;
}

/** The object does not fit its schema, or an admission check refused it. */
export function isInvalid(error: unknown): boolean {
  return apiErrorOf(error)?.code === 422;
}

/** Nothing can be created any more because the namespace is on its way out. */
export function isNamespaceTerminating(error: unknown): boolean {
  const causes = apiErrorOf(error)?.causes ?? [];
  return causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/**
 * The server refused the request itself: repeating it unchanged will not help soon. Not 429, which only asks to wait, nor
 * 409, which says that something changed meanwhile (a quota's usage, for one).
 */
export function isRefused(error: unknown): boolean {
  const code = apiErrorOf(error)?.code;
  return code !== undefined && code >= 400 && code < 500 && code !== 409 && code !== 429;
}

async function unless<T>(isExpected: (error: unknown) => boolean, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
