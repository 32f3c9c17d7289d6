/** Retries reads while the API server is unreachable, for commands that wait for a run or follow its logs. */
import {
  type ApiRequest,
  type Clock,
  ConfigurationError,
  findApiError,
  isTooManyRequests,
  sleep,
  type Transport,
} from 'controller-runtime';
import { type ClusterSession, createClient } from './cluster-session.ts';
import { CommandError } from './command.ts';
import { findErrorCode, findNetworkErrorCode, formatError, isInternalError } from './error-message.ts';

export interface ReconnectOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives a message when the connection to the API server is lost or restored. */
  readonly notify: (sentence: string) => void | Promise<void>;
  /** The maximum lifetime of the session, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
}

/** The maximum time for a response. */
export const RESPONSE_TIMEOUT_MS = 30_000;
/** The minimum timeout of a request, so that the last request of a session can still read the final state. */
const LAST_RESPONSE_TIMEOUT_MS = 5_000;
const MIN_BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 5_000;
/** API servers request at most this wait, but a proxy may request hours. */
const MAX_RETRY_AFTER_MS = 30_000;
/**
 * The time for which the session retries after the API server rejects the credentials, so that a login program can renew the
 * credentials.
 */
const CREDENTIALS_RETRY_MS = 60_000;

/**
 * Returns a session that retries reads until the timeout, and then rejects them with a CommandError. Writes and streams are not
 * retried.
 */
export function createReconnectingClusterSession(session: ClusterSession, options: ReconnectOptions): ClusterSession {
  const reader = new ReconnectingReader(session.transport, options);
  const transport: Transport = {
    request: (request) => (request.method === 'GET' ? reader.read(request) : session.transport.request(request)),
    stream: (request) => session.transport.stream(request),
  };
  return { ...session, transport, client: createClient(transport) };
}

/**
 * Returns whether a retry may succeed. A retry can repeat a write, because the API server may have processed the failed request.
 */
export function isTemporary(error: unknown): boolean {
  const status = findApiError(error)?.code;
  if (status === undefined) return !isInternalError(error) && findErrorCode(error) !== undefined;
  return status >= 500 || status === 429 || status === 408;
}

/**
 * Returns whether the API server rejected the credentials, or the kubeconfig is invalid, for example while a login program writes
 * it.
 */
export function lacksCredentials(error: unknown): boolean {
  return findApiError(error)?.code === 401 || error instanceof ConfigurationError;
}

/** Returns whether a write got no response, or was rejected because the API server was too busy to process the write. */
export function canRepeatWrite(error: unknown): boolean {
  return isTooManyRequests(error) || (findApiError(error) === undefined && isTemporary(error));
}

/** Returns the wait that the API server requests, in milliseconds, but at least `minMs`. */
export function computeRetryWaitMs(error: unknown, minMs: number): number {
  return Math.max(minMs, Math.min(findApiError(error)?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

class ReconnectingReader {
  readonly #transport: Transport;
  readonly #options: ReconnectOptions;
  readonly #startMs: number;
  /**
   * The number of requests that wait for a retry. The session notifies the user when the first request begins to wait, and when no
   * request waits any more.
   */
  #disconnectedRequests = 0;

  constructor(transport: Transport, options: ReconnectOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
  }

  async read(request: ApiRequest): Promise<unknown> {
    try {
      return await this.#send(request);
    } catch (error) {
      if (!this.#shouldRetry(error, request, 0)) throw error;
      if (this.#disconnectedRequests++ === 0)
        await this.#options.notify(`${this.#describeFailure(error)}; reconnecting`);
      return await this.#retry(request, error).finally(() => this.#disconnectedRequests--);
    }
  }

  async #retry(request: ApiRequest, initialFailure: unknown): Promise<unknown> {
    const { clock, signal } = this.#options;
    const disconnectedAtMs = clock.monotonicMs();
    let failure = initialFailure;
    for (let backOffMs = MIN_BACK_OFF_MS; ; backOffMs = Math.min(MAX_BACK_OFF_MS, 2 * backOffMs)) {
      if (this.#remainingMs <= 0) throw new CommandError(`${this.#describeFailure(failure)}; timed out`);
      const waitMs = computeRetryWaitMs(failure, backOffMs);
      await sleep(clock, Math.min(waitMs, this.#remainingMs), signal);
      signal.throwIfAborted();
      try {
        const response = await this.#send(request);
        await this.#reportReconnect();
        return response;
      } catch (error) {
        if (!this.#shouldRetry(error, request, clock.monotonicMs() - disconnectedAtMs)) throw error;
        failure = error;
      }
    }
  }

  async #send(request: ApiRequest): Promise<unknown> {
    const timeoutMs = Math.min(
      request.timeoutMs ?? RESPONSE_TIMEOUT_MS,
      Math.max(LAST_RESPONSE_TIMEOUT_MS, this.#remainingMs),
    );
    return await this.#transport.request({ ...request, timeoutMs });
  }

  async #reportReconnect(): Promise<void> {
    if (this.#disconnectedRequests === 1) await this.#options.notify('reconnected to the API server');
  }

  #shouldRetry(error: unknown, request: ApiRequest, outageMs: number): boolean {
    if (this.#options.signal.aborted || request.signal?.aborted) return false;
    return isTemporary(error) || (lacksCredentials(error) && outageMs < CREDENTIALS_RETRY_MS);
  }

  #describeFailure(error: unknown): string {
    const code = findNetworkErrorCode(error);
    return code === undefined ? (formatError(error) ?? String(error)) : `cannot reach the API server (${code})`;
  }

  get #remainingMs(): number {
    const { clock, timeoutMs = Number.POSITIVE_INFINITY } = this.#options;
    return this.#startMs + timeoutMs - clock.monotonicMs();
  }
}
