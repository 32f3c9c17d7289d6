/** Sends requests to the API server over a pool of connections: docs/adr/0002-transport.md. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock/clock.ts';
import { AbortCallbacks } from './abort-callbacks.ts';
import { type Connections, openConnections } from './connections.ts';
import {
  checkResponse,
  hasExpectedHeaders,
  parseResponseObject,
  type RequestSummary,
  toResponseError,
} from './parse-response.ts';
import { toProxyError } from './proxy-error.ts';
import { type LimitedRequest, RequestLimiter } from './request-limiter.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { type HttpResponse, sendHttpRequest } from './send-http-request.ts';
import type { Credentials } from './server-credentials.ts';

/** A request to the API server. */
export interface ApiRequest extends LimitedRequest {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path of the request, relative to the address of the API server. See {@link resourcePath}. */
  readonly path: string;
  /** Query parameters. A value of `undefined` omits the parameter. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Body of the request, which is sent as JSON. */
  readonly body?: unknown;
  /** Media type of the body. Default `application/json`. */
  readonly contentType?: string;
  /** Accepted media types of the response. Each media type must be a form of JSON. Default `application/json`. */
  readonly accept?: string;
  /** Aborts the request, even while it waits for a connection. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum time from the start of the request to the end of its response, in milliseconds. Default 65 s, because the
   * timeout of an API server is 60 s. Streams ignore this option.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when a connection is available, before the request is sent. If `beforeSend` throws, the request is not sent.
   * Streams ignore this option.
   */
  readonly beforeSend?: (() => void) | undefined;
  /**
   * Maximum size of the response in bytes. The request rejects with a {@link ResponseTooLargeError} if the response is
   * larger. Default: no limit. Streams ignore this option.
   */
  readonly maxResponseBytes?: number | undefined;
}

/** Sends requests to the API server. {@link HttpTransport} implements this interface, and tests can replace it. */
export interface Transport {
  /**
   * Returns the JSON of the response without nulls. Throws an {@link ApiError} if the status code is not 2xx, an
   * {@link InvalidResponseError} if the response is not from an API server, or an error of undici if there is no
   * response.
   */
  request(request: ApiRequest): Promise<unknown>;
  /**
   * Streams the body of the response, for watches and logs. Streams have no timeout, and the maximum number of requests
   * in flight does not apply to them.
   */
  stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>>;
}

/** Provides the credentials of requests. The class {@link KubeConfigCredentials} implements this interface. */
export interface CredentialsSource {
  /** Returns the address and the credentials for the next request, such as a token that was renewed. */
  current(): Credentials | Promise<Credentials>;
  /**
   * Called when the API server rejects the credentials. After the call, {@link current} must return different
   * credentials.
   */
  refresh(rejectedCredentials: Credentials): void;
}

/** Options of {@link HttpTransport}. */
export interface HttpTransportOptions {
  /** Address of the API server and credentials, such as {@link KubeConfigCredentials}. */
  readonly credentials: CredentialsSource;
  /** Clock for timeouts. */
  readonly clock: Clock;
  /** Maximum number of requests in flight and of connections. The limit does not apply to watches. Default 64. */
  readonly maxInFlight?: number;
  /** Name of the client in the logs and metrics of the API server, such as `website-operator/1.2.0`. */
  readonly userAgent: string;
  /** Counts the responses. By default, responses are not counted. */
  readonly metrics?: RequestMetrics;
}

export const DEFAULT_MAX_IN_FLIGHT = 64;

interface CurrentConnections extends Connections {
  readonly credentials: Credentials;
  readonly fingerprint: string;
}

/** Sends a request, and waits for its response. For a stream, waits only for the headers of the response. */
type SendFunction<A extends HttpResponse> = (
  connections: Connections,
  options: Dispatcher.DispatchOptions,
) => Promise<A>;

interface RequestAndResponse<A extends HttpResponse> {
  readonly request: RequestSummary;
  readonly response: A;
}

/** Sends requests to the API server over a pool of connections. Call `close` at the end. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #limiter: RequestLimiter;
  readonly #maxInFlight: number;
  readonly #abortCallbacks = new AbortCallbacks();
  #connections: CurrentConnections | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
    this.#limiter = new RequestLimiter(this.#maxInFlight);
  }

  request(request: ApiRequest): Promise<unknown> {
    return this.#limiter.run(request, () => this.#sendRequest(request));
  }

  async stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    const { response } = await this.#sendWithRetry(request, async ({ watches }, options) => {
      const response = await watches.request({ ...options, bodyTimeout: 0, signal: request.signal ?? null });
      const { statusCode, headers, body: chunks } = response;
      const text = hasExpectedHeaders(request.accept, response) ? '' : await readErrorText(chunks);
      return { statusCode, headers, body: chunks, text };
    });
    return response.body;
  }

  /** Closes all connections. Requests in flight fail. */
  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    await Promise.all([connections?.pool.destroy(), connections?.watches.destroy()]);
  }

  async #sendRequest(request: ApiRequest): Promise<unknown> {
    const { timeoutMs, maxResponseBytes, signal, beforeSend } = request;
    const { clock } = this.#options;
    const exchangeOptions = {
      clock,
      timeoutMs,
      maxResponseBytes,
      signal,
      beforeSend,
      abortCallbacks: this.#abortCallbacks,
    };
    const { request: summary, response } = await this.#sendWithRetry(request, ({ pool }, options) =>
      sendHttpRequest(pool, options, exchangeOptions),
    );
    return parseResponseObject(summary, response);
  }

  async #sendWithRetry<A extends HttpResponse>(
    request: ApiRequest,
    send: SendFunction<A>,
  ): Promise<RequestAndResponse<A>> {
    const credentials = await this.#getCredentials(request);
    const firstResult = await this.#sendOnce(request, send, credentials);
    if (firstResult.response.statusCode !== 401) return checkStatus(firstResult);
    this.#options.credentials.refresh(credentials);
    return checkStatus(await this.#sendOnce(request, send, await this.#getCredentials(request)));
  }

  /** Rejects at once if the signal aborts, because an exec plugin may take a long time. */
  async #getCredentials({ signal }: ApiRequest): Promise<Credentials> {
    signal?.throwIfAborted();
    const credentials = this.#options.credentials.current();
    if (signal === undefined || !(credentials instanceof Promise)) return credentials;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    this.#abortCallbacks.add(signal, onAbort);
    try {
      return await Promise.race([aborted, credentials]);
    } finally {
      this.#abortCallbacks.delete(signal, onAbort);
    }
  }

  async #sendOnce<A extends HttpResponse>(
    request: ApiRequest,
    send: SendFunction<A>,
    credentials: Credentials,
  ): Promise<RequestAndResponse<A>> {
    const { userAgent, metrics } = this.#options;
    const { server } = credentials;
    const path = server.pathname.replace(/\/$/, '') + request.path;
    const options: Dispatcher.DispatchOptions = {
      origin: server.origin,
      method: request.method,
      path: path + formatQuery(request.query),
      headers: {
        accept: request.accept ?? 'application/json',
        'user-agent': userAgent,
        ...credentials.headers,
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // By default, undici closes the connection after a DELETE with a body, because some servers ignore the body.
      reset: false,
    };
    const summary = { method: request.method, origin: server.origin, path, accept: request.accept };
    try {
      const response = await send(this.#connect(credentials), options);
      metrics?.countResponse(request.method, server.host, String(response.statusCode));
      return { response, request: summary };
    } catch (error) {
      metrics?.countResponse(request.method, server.host, '<error>');
      throw toResponseError(summary, credentials.proxy ? toProxyError(credentials.proxy, server, error) : error);
    }
  }

  /**
   * Returns the connections for the credentials. Opens new connections if the server, the proxy or the TLS options have
   * changed.
   */
  #connect(credentials: Credentials): Connections {
    const previous = this.#connections;
    // The comparison of fingerprints is slow, because a fingerprint contains the certificates.
    if (previous?.credentials === credentials) return previous;
    const fingerprint = computeFingerprint(credentials);
    if (previous?.fingerprint === fingerprint) {
      this.#connections = { ...previous, credentials };
      return this.#connections;
    }
    this.#connections = { credentials, fingerprint, ...openConnections(credentials, this.#maxInFlight) };
    // Closes the old connections after their requests and watches complete.
    for (const dispatcher of [previous?.pool, previous?.watches]) dispatcher?.close().catch(() => {});
    return this.#connections;
  }
}

function checkStatus<A extends HttpResponse>(result: RequestAndResponse<A>): RequestAndResponse<A> {
  checkResponse(result.request, result.response);
  return result;
}

/** Returns the first 64 KiB of an error response, because the response may be infinite. */
async function readErrorText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const chunksRead: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of chunks) {
    chunksRead.push(chunk);
    byteCount += chunk.length;
    if (byteCount >= MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunksRead).toString('utf8');
}

const MAX_ERROR_BYTES = 64 * 1024;

function computeFingerprint({ server, proxy, tls }: Credentials): string {
  const { ca, cert, key, servername, rejectUnauthorized } = tls;
  return [server.origin, proxy?.url.href, ca, cert, key, servername, rejectUnauthorized].map(String).join('\n');
}

function formatQuery(query: ApiRequest['query'] = {}): string {
  let queryString = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    queryString += `${queryString === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return queryString;
}
