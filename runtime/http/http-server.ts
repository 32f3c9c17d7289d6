/** An HTTP or HTTPS server that listens after `start`, and finishes running requests before it stops. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { aborted, type Clock } from '../clock/clock.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { Logger } from '../log/logger.ts';
import type { ClientCaSource, KeyPair, KeyPairSource } from '../tls/key-pair.ts';
import { type BindAddress, formatBindAddress } from './bind-address.ts';
import { SeatLimiter } from './seat-limiter.ts';

/** Answers one request. An error is logged and answered with 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Time for a client to send its request; probes and scrapes are small. */
const REQUEST_TIMEOUT_MS = 30_000;
/** {@link HttpServerOptions.stopTimeoutMs} */
export const DEFAULT_STOP_TIMEOUT_MS = 5_000;
/** How often Node checks for requests that take longer. */
const TIMEOUT_CHECK_MS = 1_000;
const MAX_SEATS = 512;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/**
 * Connections that the kernel queues until Node accepts them, once per turn of the event loop. It drops connections
 * beyond this number, and their clients retry after 1, 3 and 7 seconds. Node's default of 511 is too small for a flood;
 * Linux allows at most 4,096 (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

export interface HttpServerOptions {
  /** Purpose of the server, for logs: `health probes`. */
  readonly name: string;
  readonly address: BindAddress & { readonly kind: 'listen' };
  readonly handler: HttpHandler;
  /** Enables HTTPS. */
  readonly keyPair?: KeyPairSource;
  /**
   * With a key pair: the TLS handshake rejects a client without a certificate of one of these CAs, before it sends a
   * request.
   */
  readonly clientCa?: ClientCaSource | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * How long the server answers new requests after the stop. A load balancer sends clients elsewhere only once it has
   * noticed. Each response then closes its connection, so that the client opens another one. Default 0.
   */
  readonly shutdownDelayMs?: number;
  /** How long running requests may take after that before the server closes their connections. Default 5 s. */
  readonly stopTimeoutMs?: number;
  /** How long the server keeps an idle connection for the client's next request. Default 5 s. */
  readonly keepAliveTimeoutMs?: number;
  /** How long a client may take for its TLS handshake, and for the headers of a request. Default 30 s. */
  readonly headersTimeoutMs?: number;
  /**
   * How long a client may take to send a whole request, and then to start or continue reading the response. Default 30 s.
   */
  readonly requestTimeoutMs?: number;
  /** Maximum number of seats for connections, bodies and responses; see {@link SeatLimiter}. Default 512. */
  readonly maxSeats?: number;
}

interface ServerTlsOptions extends KeyPair {
  readonly ca?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

interface ListeningServer {
  readonly server: Server | TlsServer;
  /** Absent for HTTP. */
  readonly tls: ServerTlsOptions | undefined;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #log: Logger;
  readonly #activeResponses = new Set<ServerResponse>();
  readonly #seats: SeatLimiter;
  readonly #listening = Promise.withResolvers<AddressInfo>();
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#seats = new SeatLimiter(options.maxSeats ?? MAX_SEATS, this.#getTimeouts().requestTimeout);
    this.#log = options.log.with({ server: options.name });
    // `start()` also rejects, so reading `listening` is optional.
    this.#listening.promise.catch(() => {});
  }

  /** The address once the server listens, including the port that the system chose. Rejects when it cannot listen. */
  get listening(): Promise<AddressInfo> {
    return this.#listening.promise;
  }

  /** Number of taken seats. */
  get seats(): number {
    return this.#seats.seats;
  }

  /**
   * Reserves memory for a request until its response. Returns `false` when there is too little; see {@link SeatLimiter}.
   */
  reserve(request: IncomingMessage, bytes: number): boolean {
    return this.#seats.reserve(request, bytes);
  }

  /**
   * Listens until `signal` aborts and the delay after it is over; resolves when the last request is done. Rejects when
   * it cannot listen.
   */
  async start(signal: AbortSignal): Promise<void> {
    const listeningServer = await this.#listen();
    signal.addEventListener('abort', () => this.#disableKeepAlive(), { once: true });
    await Promise.all([aborted(signal), this.#watchFiles(listeningServer, signal)]);
    await this.#waitForShutdownDelay();
    await this.#close(listeningServer.server);
  }

  async #listen(): Promise<ListeningServer> {
    const { name, address, keyPair } = this.#options;
    try {
      const tls = keyPair && (await this.#loadTlsOptions(keyPair));
      const server = this.#create(tls);
      server.listen({
        port: address.port,
        backlog: BACKLOG,
        ...(address.host !== undefined && { host: address.host }),
      });
      await once(server, 'listening');
      // It is a string only for pipes and Unix sockets.
      const boundAddress = server.address() as AddressInfo;
      this.#log.info('listening', {
        address: boundAddress.address,
        port: boundAddress.port,
        tls: keyPair !== undefined,
      });
      this.#listening.resolve(boundAddress);
      return { server, tls };
    } catch (cause) {
      const step = `listen on ${formatBindAddress(address)} for ${name}`;
      const error = new ConfigurationError(isInUse(cause) ? `${step}: ${IN_USE}` : step, { cause });
      this.#listening.reject(error);
      throw error;
    }
  }

  #create(tls: ServerTlsOptions | undefined): Server | TlsServer {
    const onRequest = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response);
    const limits = this.#getTimeouts();
    const server =
      tls === undefined ? createServer(limits, onRequest) : createTlsServer({ ...limits, ...tls }, onRequest);
    this.#seats.watch(server);
    return server;
  }

  #getTimeouts() {
    const { requestTimeoutMs: requestTimeout = REQUEST_TIMEOUT_MS, headersTimeoutMs = requestTimeout } = this.#options;
    const { keepAliveTimeoutMs: keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS } = this.#options;
    const headers = { headersTimeout: headersTimeoutMs, handshakeTimeout: headersTimeoutMs };
    return { ...headers, requestTimeout, keepAliveTimeout, connectionsCheckingInterval: TIMEOUT_CHECK_MS };
  }

  async #loadTlsOptions(keyPair: KeyPairSource): Promise<ServerTlsOptions> {
    const { clientCa } = this.#options;
    const pair = await keyPair.load();
    if (clientCa === undefined) return pair;
    return { ...pair, ca: await clientCa.load(), requestCert: true, rejectUnauthorized: true };
  }

  /** New connections get the new certificate and are checked with the new CA; open connections keep theirs. */
  async #watchFiles({ server, tls }: ListeningServer, signal: AbortSignal): Promise<void> {
    const { keyPair, clientCa } = this.#options;
    if (tls === undefined || !('setSecureContext' in server)) return;
    let current = tls;
    const applyChange = (changed: Partial<ServerTlsOptions>) => {
      current = { ...current, ...changed };
      server.setSecureContext(current);
    };
    const watches = [keyPair?.watch?.(signal, applyChange), clientCa?.watch(signal, (ca) => applyChange({ ca }))];
    await Promise.all(watches);
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#seats.startRequest(request, response)) return;
    this.#activeResponses.add(response);
    response.once('close', () => this.#activeResponses.delete(response));
    if (this.#isStopping) response.setHeader('connection', 'close');
    try {
      await this.#options.handler(request, response);
    } catch (error) {
      this.#log.error('request failed', error, { method: request.method, url: request.url });
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'internal server error\n');
    }
  }

  /** Otherwise, idle kept-alive connections would keep the server open after their last response. */
  #disableKeepAlive(): void {
    this.#isStopping = true;
    for (const response of this.#activeResponses) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  async #waitForShutdownDelay(): Promise<void> {
    const { clock, shutdownDelayMs = 0 } = this.#options;
    if (shutdownDelayMs === 0) return;
    this.#log.info('serving until the shutdown delay ends', { shutdownDelayMs });
    await new Promise<void>((resolve) => clock.schedule(shutdownDelayMs, resolve));
  }

  async #close(server: Server | TlsServer): Promise<void> {
    const { clock, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = this.#options;
    const cancel = clock.schedule(stopTimeoutMs, () => this.#seats.closeAll());
    await new Promise((resolve) => server.close(resolve));
    cancel();
    this.#log.info('stopped listening');
  }
}

/** Ends `response` with a text. */
export function sendText(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(body);
}

/** The request's URL. Scheme and host are placeholders: only path and query are meaningful. */
export function parseRequestUrl(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  return URL.parse(target.startsWith('/') ? `http://server${target}` : target) ?? new URL('http://server/');
}

const IN_USE = 'another process listens there; stop it, or use another port';

function isInUse(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'EADDRINUSE';
}
