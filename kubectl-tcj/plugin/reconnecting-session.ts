/** A session for commands that wait or follow: repeats reads when the API server cannot be reached or cannot respond. */
import {
  type ApiRequest,
  type Clock,
  ConfigurationError,
  findApiError,
  InvalidResponseError,
  ProxyError,
  sleep,
  type Transport,
} from 'controller-runtime';
import { CommandError } from './command.ts';
import { findErrorCode, formatError, isFault } from './error-message.ts';
import { createClient, type Session } from './session.ts';

export interface ReconnectingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Takes a sentence when the connection to the API server is lost, and another when it is restored. */
  readonly notify: (sentence: string) => void | Promise<void>;
  /** Maximum time from now on, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
}

/** Maximum time of a request: a connection without data for longer counts as dead. */
export const RESPONSE_TIMEOUT_MS = 30_000;
/** A request that is sent after the time has passed may still take this long: it reads the final state. */
const LAST_RESPONSE_TIMEOUT_MS = 5_000;
/** Minimum and maximum wait before a request is sent again. */
const MIN_BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 5_000;
/** How long to retry after the API server rejects the credentials, so that another program can renew them. */
const CREDENTIALS_MS = 60_000;

/**
 * Returns a session whose reads survive every outage that a manager survives, and reject with a CommandError when the time has
 * passed. Writes and stream requests are sent once, as in any session.
 */
export function createReconnectingSession(session: Session, options: ReconnectingOptions): Session {
  const reads = new ReconnectingReader(session.transport, options);
  const transport: Transport = {
    request: (request) => (request.method === 'GET' ? reads.read(request) : session.transport.request(request)),
    stream: (request) => session.transport.stream(request),
  };
  return { ...session, transport, client: createClient(transport) };
}

/** A failure after which the same request may succeed, and may have succeeded: no response, or a response that says so. */
export function isTemporary(error: unknown): boolean {
  const status = findApiError(error)?.code;
  if (status === undefined) return !isFault(error) && findErrorCode(error) !== undefined;
  return status >= 500 || status === 429;
}

/** Whether the credentials were refused or cannot be read: another program may be renewing them. */
export function lacksCredentials(error: unknown): boolean {
  return findApiError(error)?.code === 401 || error instanceof ConfigurationError;
}

class ReconnectingReader {
  readonly #transport: Transport;
  readonly #options: ReconnectingOptions;
  readonly #startMs: number;
  /** Number of requests without a response: one sentence is enough for all of them. */
  #unansweredRequests = 0;

  constructor(transport: Transport, options: ReconnectingOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
  }

  async read(request: ApiRequest): Promise<unknown> {
    try {
      return await this.#send(request);
    } catch (error) {
      if (!this.#shouldRetry(error, request, 0)) throw error;
      if (this.#unansweredRequests++ === 0) await this.#options.notify(`${this.#describe(error)}; reconnecting`);
      return await this.#readAgain(request, error).finally(() => this.#unansweredRequests--);
    }
  }

  /** Repeats the request until it gets a response. */
  async #readAgain(request: ApiRequest, first: unknown): Promise<unknown> {
    const { clock, signal } = this.#options;
    const lostMs = clock.monotonicMs();
    let failure = first;
    for (let backOffMs = MIN_BACK_OFF_MS; ; backOffMs = Math.min(MAX_BACK_OFF_MS, 2 * backOffMs)) {
      if (this.#leftMs <= 0) throw new CommandError(`${this.#describe(failure)}; timed out`);
      const waitMs = Math.max(backOffMs, findApiError(failure)?.retryAfterMs ?? 0);
      await sleep(clock, Math.min(waitMs, this.#leftMs), signal);
      signal.throwIfAborted();
      try {
        const answer = await this.#send(request);
        await this.#reportReconnect();
        return answer;
      } catch (error) {
        if (!this.#shouldRetry(error, request, clock.monotonicMs() - lostMs)) throw error;
        failure = error;
      }
    }
  }

  async #send(request: ApiRequest): Promise<unknown> {
    const timeoutMs = Math.min(
      request.timeoutMs ?? RESPONSE_TIMEOUT_MS,
      Math.max(LAST_RESPONSE_TIMEOUT_MS, this.#leftMs),
    );
    return await this.#transport.request({ ...request, timeoutMs });
  }

  async #reportReconnect(): Promise<void> {
    if (this.#unansweredRequests === 1) await this.#options.notify('reconnected to the API server');
  }

  #shouldRetry(error: unknown, request: ApiRequest, lostForMs: number): boolean {
    if (this.#options.signal.aborted || request.signal?.aborted) return false;
    return isTemporary(error) || (lacksCredentials(error) && lostForMs < CREDENTIALS_MS);
  }

  #describe(error: unknown): string {
    const isAnswered =
      [InvalidResponseError, ProxyError].some((type) => error instanceof type) || findApiError(error) !== undefined;
    const code = isAnswered ? undefined : findErrorCode(error);
    return code === undefined ? (formatError(error) ?? String(error)) : `cannot reach the API server (${code})`;
  }

  get #leftMs(): number {
    const { clock, timeoutMs = Number.POSITIVE_INFINITY } = this.#options;
    return this.#startMs + timeoutMs - clock.monotonicMs();
  }
}
