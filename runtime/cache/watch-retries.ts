import { findApiError, isExpired, isNotFound } from '../client/errors.ts';
import { suggestFix } from '../client/suggest-fix.ts';
import type { Logger } from '../log/logger.ts';

/** First and longest wait after a failure; jitter makes each up to twice as long. */
export const MIN_BACK_OFF_MS = 800;
export const MAX_BACK_OFF_MS = 30_000;
/**
 * Longest wait, with the same jitter, for a kind that the API server does not serve: its CRD may return at any time,
 * and a request costs little.
 */
export const MAX_NOT_SERVED_WAIT_MS = 2_500;

interface WatchFailure {
  readonly error: unknown;
  /** The version of the watch; absent when the reflector was to read everything again. */
  readonly resourceVersion: string | undefined;
}

/**
 * Computes how long a reflector waits after each failure: longer each time, until there is progress. Logs each wait and
 * its cause, a repeated cause at debug level.
 */
export class WatchRetries {
  readonly #log: Logger;
  readonly #random: () => number;
  #waitMs = 0;
  /** A watch is open and has sent nothing yet. */
  #hasOpened = false;
  /** The API server did not serve the kind at the last request. */
  #isNotServed = false;

  /** The cause that the log already shows. It is logged once until there is progress. */
  #loggedReason: string | undefined;

  /** @param random Jitter, in [0, 1). */
  constructor(log: Logger, random: () => number) {
    this.#log = log;
    this.#random = random;
  }

  /** Restarts the waits, because the API server sent something. */
  reset(): void {
    this.#waitMs = 0;
    this.#hasOpened = false;
    this.#loggedReason = undefined;
  }

  /**
   * Like {@link reset}, except for watches that repeatedly open and end without an event: the reflector must not flood
   * the server.
   */
  recordOpened(): void {
    if (this.#isNotServed) this.#log.info('the API server serves this kind again');
    this.#isNotServed = false;
    if (!this.#hasOpened) this.#waitMs = 0;
    this.#hasOpened = true;
  }

  /** @returns The wait before the next try, in milliseconds. */
  recordFailure({ error, resourceVersion }: WatchFailure): number {
    if (isNotFound(error)) return this.#handleNotServed();
    if (isExpired(error) && resourceVersion !== undefined) this.reset(); // an expired version calls for a new list at once
    const minWaitMs = findApiError(error)?.retryAfterMs;
    // For a moment after the installation of a CRD, the API server asks clients to wait.
    const isBeingInstalled = this.#isNotServed && minWaitMs !== undefined;
    const retryAfterMs = Math.max(
      this.#nextWaitMs(isBeingInstalled ? MAX_NOT_SERVED_WAIT_MS : MAX_BACK_OFF_MS),
      minWaitMs ?? 0,
    );
    const reason = String(error);
    if (isExpired(error)) {
      this.#log.info('resource version expired, will list all objects again', { resourceVersion, retryAfterMs });
    } else if (minWaitMs !== undefined) {
      this.#log.info('the API server asked to wait, will retry the watch', { reason, retryAfterMs });
    } else {
      const level = reason === this.#loggedReason ? 'debug' : 'info';
      this.#log[level]('watch failed, will retry', { reason, fix: suggestFix(error), resourceVersion, retryAfterMs });
      this.#loggedReason = reason;
    }
    return retryAfterMs;
  }

  /** Logs once, because the reflector retries every few seconds. */
  #handleNotServed(): number {
    const retryAfterMs = this.#nextWaitMs(MAX_NOT_SERVED_WAIT_MS);
    const message = 'the API server does not serve this kind, will retry; install its CustomResourceDefinition';
    this.#log[this.#isNotServed ? 'debug' : 'info'](message, { retryAfterMs });
    this.#isNotServed = true;
    return retryAfterMs;
  }

  #nextWaitMs(maxMs: number): number {
    this.#waitMs = Math.min(maxMs, Math.max(MIN_BACK_OFF_MS, this.#waitMs * 2));
    return Math.round(this.#waitMs * (1 + this.#random()));
  }
}
