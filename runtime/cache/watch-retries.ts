import { apiErrorOf, isExpired, isNotFound } from '../client/errors.ts';
import { fixOf } from '../client/fix-of.ts';
import type { Logger } from '../log/logger.ts';

/** First and longest wait after a failure; each is spread to up to twice its length. */
export const MIN_BACK_OFF_MS = 800;
export const MAX_BACK_OFF_MS = 30_000;
/** Longest wait, spread alike, for a kind that the API server does not serve: its CRD may be back at any time, and asking costs little. */
export const MAX_ABSENT_WAIT_MS = 2_500;

interface Failure {
  readonly error: unknown;
  /** Where the watch was; absent when everything was to be read anew. */
  readonly resourceVersion: string | undefined;
}

/** How long a reflector waits after each failure: longer each time, until there is progress. Logs each wait and its cause; one that repeats, at debug level. */
export class WatchRetries {
  readonly #log: Logger;
  readonly #random: () => number;
  #waitMs = 0;
  /** A watch was opened, and nothing has come from it yet. */
  #hasOpened = false;
  /** The API server did not serve the kind when it was last asked. */
  #isAbsent = false;

  /** Why the watch failed, as the log has it; it says so once until there is progress. */
  #reported: string | undefined;

  /** @param random Spread, in [0, 1). */
  constructor(log: Logger, random: () => number) {
    this.#log = log;
    this.#random = random;
  }

  /** The API server told something: waits begin anew. */
  reset(): void {
    this.#waitMs = 0;
    this.#hasOpened = false;
    this.#reported = undefined;
  }

  /** As {@link reset}; but not for watches that open and end again and again, and tell nothing: else these would be hammered. */
  opened(): void {
    if (this.#isAbsent) this.#log.info('the API server serves this kind again');
    this.#isAbsent = false;
    if (!this.#hasOpened) this.#waitMs = 0;
    this.#hasOpened = true;
  }

  /** @returns The wait before the next try, in milliseconds. */
  failed({ error, resourceVersion }: Failure): number {
    if (isNotFound(error)) return this.#absent();
    if (isExpired(error) && resourceVersion !== undefined) this.reset(); // it knows nothing better than to begin anew
    const atLeastMs = apiErrorOf(error)?.retryAfterMs;
    // For a moment after a CRD was installed the API server asks to wait.
    const isComingBack = this.#isAbsent && atLeastMs !== undefined;
    const retryAfterMs = Math.max(this.#next(isComingBack ? MAX_ABSENT_WAIT_MS : MAX_BACK_OFF_MS), atLeastMs ?? 0);
    const reason = String(error);
    if (isExpired(error)) {
      this.#log.info('resource version expired, will list all objects again', { resourceVersion, retryAfterMs });
    } else if (atLeastMs !== undefined) {
      this.#log.info('the API server asked to wait, will retry the watch', { reason, retryAfterMs });
    } else {
      const level = reason === this.#reported ? 'debug' : 'info';
      this.#log[level]('watch failed, will retry', { reason, fix: fixOf(error), resourceVersion, retryAfterMs });
      this.#reported = reason;
    }
    return retryAfterMs;
  }

  /** Says so once: it asks every few seconds. */
  #absent(): number {
    const retryAfterMs = this.#next(MAX_ABSENT_WAIT_MS);
    const message = 'the API server does not serve this kind, will retry; install its CustomResourceDefinition';
    this.#log[this.#isAbsent ? 'debug' : 'info'](message, { retryAfterMs });
    this.#isAbsent = true;
    return retryAfterMs;
  }

  #next(maxMs: number): number {
    this.#waitMs = Math.min(maxMs, Math.max(MIN_BACK_OFF_MS, this.#waitMs * 2));
    return Math.round(this.#waitMs * (1 + this.#random()));
  }
}
