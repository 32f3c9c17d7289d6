/** HTTP to the API server over one pool of kept-alive connections: docs/adr/0002-transport.md. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock/clock.ts';
import { AbortCallbacks } from './abort-callbacks.ts';
import { type Connections, openConnections } from './connections.ts';
import { exchange, type HttpResponse } from './exchange.ts';
import { checkResponse, hasExpectedHeaders, parseResponseObject, type RequestSummary } from './parse-response.ts';
import { toProxyError } from './proxy-error.ts';
import { type RequestFlow, RequestLimiter } from './request-limiter.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { Credentials } from './server-credentials.ts';

export interface ApiRequest extends RequestFlow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's address, from {@link resourcePath}. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Media types that the response may have, all of them JSON. Default `application/json`. */
  readonly accept?: string;
  /** Aborts the request, even while it waits to be sent. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout of each whole response, in milliseconds, from when the request is sent. Not for streams. Default 65 s, more
   * than an API server needs.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called just before the request is written to a connection. If it throws, the request is not sent. Default: no call.
   * Not for streams.
   */
  readonly beforeSend?: (() => void) | undefined;
  /**
   * Maximum size of the response in bytes; for a longer one, the request rejects with an ResponseTooLargeError. Default: no
   * limit. Not for streams.
   */
  readonly maxResponseBytes?: number | undefined;
}

export interface Transport {
  /**
   * Returns the response's JSON, without nulls. Throws ApiError for any status but 2xx, InvalidResponseError, or undici's errors
   * when there is no response.
   */
  request(request: ApiRequest): Promise<unknown>;
  /**
   * Returns the response's bytes as they arrive, for watches: without a timeout, and not counted against the in-flight
   * limit.
   */
  stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>>;
}

/** The credentials that the transport uses; {@link KubeConfigCredentials} implements it. */
export interface CredentialsSource {
  current(): Credentials | Promise<Credentials>;
  /** The server rejected these credentials: {@link current} must not return them again. */
  refresh(rejected: Credentials): void;
}

export interface HttpTransportOptions {
  readonly credentials: CredentialsSource;
  readonly clock: Clock;
  /** Maximum number of connections and requests in flight, not counting watches. Default 64. */
  readonly maxInFlight?: number;
  /** Identifies the client in the API server's logs and metrics: `website-operator/1.2.0`. */
  readonly userAgent: string;
  readonly metrics?: RequestMetrics;
}

export const DEFAULT_MAX_IN_FLIGHT = 64;

interface CurrentConnections extends Connections {
  readonly credentials: Credentials;
  readonly fingerprint: string;
}

/** Sends one request and waits for its response, or for the headers of the response to a watch. */
type Send<A extends HttpResponse> = (connections: Connections, options: Dispatcher.DispatchOptions) => Promise<A>;

/** A response and its request. */
interface ResponseOfRequest<A extends HttpResponse> {
  readonly request: RequestSummary;
  readonly response: A;
}

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #limiter: RequestLimiter;
  readonly #maxInFlight: number;
  readonly #onAbort = new AbortCallbacks();
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
      const text = hasExpectedHeaders(request.accept, response) ? '' : await readBeginning(chunks);
      return { statusCode, headers, body: chunks, text };
    });
    return response.body;
  }

  /** Closes every connection; requests in flight fail. */
  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    await Promise.all([connections?.pool.destroy(), connections?.watches.destroy()]);
  }

  async #sendRequest(request: ApiRequest): Promise<unknown> {
    const { timeoutMs, maxResponseBytes, signal, beforeSend } = request;
    const { clock } = this.#options;
    const limits = { clock, timeoutMs, maxResponseBytes, signal, beforeSend, onAbort: this.#onAbort };
    const { request: summary, response } = await this.#sendWithRetry(request, ({ pool }, options) =>
      exchange(pool, options, limits),
    );
    return parseResponseObject(summary, response);
  }

  async #sendWithRetry<A extends HttpResponse>(request: ApiRequest, send: Send<A>): Promise<ResponseOfRequest<A>> {
    const credentials = await this.#getCredentials(request);
    const first = await this.#attempt(request, send, credentials);
    if (first.response.statusCode !== 401) return checkStatus(first);
    this.#options.credentials.refresh(credentials);
    return checkStatus(await this.#attempt(request, send, await this.#getCredentials(request)));
  }

  /** Rejects at once when the request is aborted, because an exec plugin may take long. */
  async #getCredentials({ signal }: ApiRequest): Promise<Credentials> {
    signal?.throwIfAborted();
    const current = this.#options.credentials.current();
    // Usually the credentials are available at once.
    if (signal === undefined || !(current instanceof Promise)) return current;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    this.#onAbort.add(signal, onAbort);
    try {
      return await Promise.race([aborted, current]);
    } finally {
      this.#onAbort.delete(signal, onAbort);
    }
  }

  async #attempt<A extends HttpResponse>(
    request: ApiRequest,
    send: Send<A>,
    credentials: Credentials,
  ): Promise<ResponseOfRequest<A>> {
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
      // undici closes the connection after a DELETE with a body, because some servers do not read the body. An API
      // server reads it.
      reset: false,
    };
    try {
      const response = await send(this.#connect(credentials), options);
      metrics?.responded(request.method, server.host, String(response.statusCode));
      return { response, request: { method: request.method, origin: server.origin, path, accept: request.accept } };
    } catch (error) {
      metrics?.responded(request.method, server.host, '<error>');
      throw credentials.proxy ? toProxyError(credentials.proxy, server, error) : error;
    }
  }

  /**
   * Returns the connections for these credentials. Opens new ones when the proxy, the CA or the client certificate has
   * changed.
   */
  #connect(credentials: Credentials): Connections {
    const old = this.#connections;
    // Usually the same object as before; a comparison by fingerprint would read kilobytes of certificates.
    if (old?.credentials === credentials) return old;
    const fingerprint = computeFingerprint(credentials);
    if (old?.fingerprint === fingerprint) {
      this.#connections = { ...old, credentials };
      return this.#connections;
    }
    this.#connections = { credentials, fingerprint, ...openConnections(credentials, this.#maxInFlight) };
    // Lets requests and watches in flight end normally.
    for (const dispatcher of [old?.pool, old?.watches]) dispatcher?.close().catch(() => {});
    return this.#connections;
  }
}

function checkStatus<A extends HttpResponse>(result: ResponseOfRequest<A>): ResponseOfRequest<A> {
  checkResponse(result.request, result.response);
  return result;
}

/** Returns the beginning of the text that arrived instead of a watch, because the text may be endless. */
async function readBeginning(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const chunksRead: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    chunksRead.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunksRead).toString('utf8');
}

const MAX_ERROR_BYTES = 64 * 1024;

function computeFingerprint({ server, proxy, tls }: Credentials): string {
  const { ca, cert, key, servername, rejectUnauthorized } = tls;
  return [server.origin, proxy?.url.href, ca, cert, key, servername, rejectUnauthorized].map(String).join('\n');
}

function formatQuery(query: ApiRequest['query'] = {}): string {
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}
