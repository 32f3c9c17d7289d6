import { findApiError, isExpired, isNotFound } from '../client/errors.ts';
import { suggestFix } from '../client/suggest-fix.ts';
import type { Clock } from '../clock/clock.ts';
import type { LogFields, Logger } from '../log/logger.ts';

/** Minimum and maximum wait after a failure. Jitter increases each wait by up to 100 %. */
export const MIN_BACK_OFF_MS = 800;
export const MAX_BACK_OFF_MS = 30_000;
/**
 * Maximum wait, before jitter, for a kind that the API server does not serve yet. The wait is short because the API server
 * may serve the kind at any time, and a request costs little.
 */
export const MAX_MISSING_KIND_WAIT_MS = 2_500;

/** Interval at which the log repeats an error that only a change of the cluster can fix. */
export const REPEATED_ERROR_INTERVAL_MS = 600_000;

export interface WatchRetriesOptions {
  readonly log: Logger;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Returns the jitter, in [0, 1). */
  readonly random: () => number;
  /** Whether a missing or forbidden kind is expected and therefore not logged as an error. */
  readonly optional: boolean;
}

interface WatchFailure {
  readonly error: unknown;
  /** The resource version at which the watch started; `undefined` if the reflector was listing all objects. */
  readonly resourceVersion: string | undefined;
}

/**
 * Computes how long a reflector waits after a failure. The wait grows with each failure, until a watch receives an
 * event. Logs each wait with its cause, at debug level if the cause is the same as before. A missing kind and a missing
 * permission are logged as errors, because a retry alone does not fix them.
 */
export class WatchRetries {
  readonly #options: WatchRetriesOptions;
  readonly #log: Logger;
  #waitMs = 0;
  /** Whether a watch has opened and has not sent an event yet. */
  #hasOpenedWatch = false;
  /** Whether the API server did not serve the kind at the last attempt. */
  #isKindMissing = false;

  /** The last logged cause. Repeats of this cause are logged at debug level. */
  #loggedReason: string | undefined;
  #loggedMs = 0;

  constructor(options: WatchRetriesOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** Restarts the back-off, because the API server sent an event. */
  reset(): void {
    this.#waitMs = 0;
    this.#hasOpenedWatch = false;
    this.#loggedReason = undefined;
  }

  /**
   * Restarts the back-off if the previous watch sent an event. After a watch without events, the back-off continues,
   * because some servers close each watch immediately.
   */
  recordWatchOpened(): void {
    if (this.#isKindMissing) this.#log.info('the API server serves this kind again');
    this.#isKindMissing = false;
    if (!this.#hasOpenedWatch) this.#waitMs = 0;
    this.#hasOpenedWatch = true;
  }

  /** Returns the wait before the next attempt, in milliseconds. */
  recordFailure({ error, resourceVersion }: WatchFailure): number {
    if (isNotFound(error)) return this.#handleMissingKind(error);
    if (isExpired(error) && resourceVersion !== undefined) this.reset(); // the next list request need not wait
    const serverRetryAfterMs = findApiError(error)?.retryAfterMs;
    const maxWaitMs = isCacheUninitialized(error) ? MAX_MISSING_KIND_WAIT_MS : MAX_BACK_OFF_MS;
    // API servers request at most 30 s, but a proxy may request hours.
    const retryAfterMs = Math.max(this.#nextWaitMs(maxWaitMs), Math.min(serverRetryAfterMs ?? 0, maxWaitMs));
    const reason = String(error);
    if (isExpired(error)) {
      this.#log.info('resource version expired, will list all objects again', { resourceVersion, retryAfterMs });
    } else if (serverRetryAfterMs !== undefined) {
      this.#log.info('the API server asked to wait, will retry the watch', { reason, retryAfterMs });
    } else {
      const fields = { fix: suggestFix(error), resourceVersion, retryAfterMs };
      this.#logFailure('watch failed, will retry', error, fields, findApiError(error)?.code === 403);
    }
    return retryAfterMs;
  }

  #handleMissingKind(error: unknown): number {
    this.#isKindMissing = true;
    const retryAfterMs = this.#nextWaitMs(MAX_MISSING_KIND_WAIT_MS);
    const message = 'the API server does not serve this kind, will retry; install its CustomResourceDefinition';
    this.#logFailure(message, error, { retryAfterMs }, true);
    return retryAfterMs;
  }

  #logFailure(message: string, error: unknown, logFields: LogFields, isPersistent: boolean): void {
    const { clock, optional } = this.#options;
    const reason = String(error);
    const isError = isPersistent && !optional;
    const nowMs = clock.monotonicMs();
    const isRepeated = reason === this.#loggedReason;
    if (isRepeated && !(isError && nowMs - this.#loggedMs >= REPEATED_ERROR_INTERVAL_MS)) {
      this.#log.debug(message, { reason, ...logFields });
      return;
    }
    this.#loggedReason = reason;
    this.#loggedMs = nowMs;
    if (isError) this.#log.error(message, error, logFields);
    else this.#log.info(message, { reason, ...logFields });
  }

  #nextWaitMs(maxMs: number): number {
    this.#waitMs = Math.min(maxMs, Math.max(MIN_BACK_OFF_MS, this.#waitMs * 2));
    return Math.round(this.#waitMs * (1 + this.#options.random()));
  }
}

/**
 * The API server has no watch cache of the kind yet: shortly after the installation of a CRD, or while the conversion
 * webhook of the kind fails (kubernetes apiserver/pkg/storage/cacher). `Retry-After` grows with the duration of this
 * state, up to 30 s, but the state ends about a second after the manager serves the webhook. The response costs the API
 * server little. An overloaded API server returns 429 without a reason.
 */
function isCacheUninitialized(error: unknown): boolean {
  const apiError = findApiError(error);
  return apiError?.code === 429 && apiError.reason === 'TooManyRequests';
}
