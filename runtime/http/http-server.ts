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

/** Responds to a request. If the handler throws, the server logs the error and responds with 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const REQUEST_TIMEOUT_MS = 30_000;
export const DEFAULT_STOP_TIMEOUT_MS = 5_000;
/** Interval at which Node checks the timeouts of connections. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
const DEFAULT_MAX_SEATS = 512;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/**
 * Maximum number of connections that wait in the kernel until Node accepts them. The kernel drops further connections,
 * and their clients retry after 1, 3 and 7 seconds. The maximum on Linux is 4,096 (`net.core.somaxconn`). Node's
 * default of 511 is too small for a burst of connections.
 */
const LISTEN_BACKLOG = 4_096;

export interface HttpServerOptions {
  /** Purpose of the server in log messages, such as `health probes`. */
  readonly name: string;
  readonly address: BindAddress & { readonly kind: 'listen' };
  readonly handler: HttpHandler;
  /** The server uses HTTPS if a key pair is set. */
  readonly keyPair?: KeyPairSource;
  /**
   * CAs that verify client certificates. If the option is set, the TLS handshake rejects clients without a certificate
   * from one of the CAs.
   */
  readonly clientCa?: ClientCaSource | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Time for which the server accepts requests after its signal aborts, in milliseconds. A load balancer needs some
   * time to notice the shutdown. During the delay, the server closes each connection after its response. Default 0.
   */
  readonly shutdownDelayMs?: number;
  /** Time from the end of the shutdown delay until the server closes connections with running requests. Default 5 s. */
  readonly stopTimeoutMs?: number;
  /** Timeout of idle connections between two requests. Default 5 s. */
  readonly keepAliveTimeoutMs?: number;
  /** Time limit for the TLS handshake, and for receiving the headers of a request. Default 30 s. */
  readonly headersTimeoutMs?: number;
  /** Time limit for receiving a request, and for sending a response to a client that stops reading. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** Maximum memory for connections, bodies and responses, in seats of 64 KiB. See {@link SeatLimiter}. Default 512. */
  readonly maxSeats?: number;
}

interface ServerTlsOptions extends KeyPair {
  readonly ca?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

interface ListeningServer {
  readonly server: Server | TlsServer;
  readonly tls: ServerTlsOptions | undefined;
}

/** An HTTP or HTTPS server. At shutdown, the server completes running requests before it stops. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #log: Logger;
  readonly #activeResponses = new Set<ServerResponse>();
  readonly #seatLimiter: SeatLimiter;
  readonly #listening = Promise.withResolvers<AddressInfo>();
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#seatLimiter = new SeatLimiter(options.maxSeats ?? DEFAULT_MAX_SEATS, this.#getTimeouts().requestTimeout);
    this.#log = options.log.with({ server: options.name });
    // Prevents an unhandled rejection: `start` rejects with the same error.
    this.#listening.promise.catch(() => {});
  }

  /** Resolves to the address and port when the server listens. Rejects when the server cannot listen. */
  get listening(): Promise<AddressInfo> {
    return this.#listening.promise;
  }

  get seats(): number {
    return this.#seatLimiter.seats;
  }

  /** Reserves memory for a request until its response is complete. Returns false if too few seats are free. */
  reserve(request: IncomingMessage, byteCount: number): boolean {
    return this.#seatLimiter.reserve(request, byteCount);
  }

  /**
   * Listens until `signal` aborts and the shutdown delay has passed. Resolves when the last request is complete.
   * Rejects when the server cannot listen.
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
      const server = this.#createServer(tls);
      server.listen({
        port: address.port,
        backlog: LISTEN_BACKLOG,
        ...(address.host !== undefined && { host: address.host }),
      });
      await once(server, 'listening');
      // The address of a TCP server is an object; only the address of a pipe or a Unix socket is a string.
      const boundAddress = server.address() as AddressInfo;
      this.#log.info('listening', {
        address: boundAddress.address,
        port: boundAddress.port,
        tls: keyPair !== undefined,
      });
      this.#listening.resolve(boundAddress);
      return { server, tls };
    } catch (cause) {
      const failedAction = `listen on ${formatBindAddress(address)} for ${name}`;
      const error = new ConfigurationError(
        isPortInUse(cause) ? `${failedAction}: ${PORT_IN_USE_MESSAGE}` : failedAction,
        { cause },
      );
      this.#listening.reject(error);
      throw error;
    }
  }

  #createServer(tls: ServerTlsOptions | undefined): Server | TlsServer {
    const onRequest = (request: IncomingMessage, response: ServerResponse) =>
      void this.#handleRequest(request, response);
    const timeouts = this.#getTimeouts();
    const server =
      tls === undefined ? createServer(timeouts, onRequest) : createTlsServer({ ...timeouts, ...tls }, onRequest);
    this.#seatLimiter.trackConnections(server);
    return server;
  }

  #getTimeouts() {
    const { requestTimeoutMs: requestTimeout = REQUEST_TIMEOUT_MS, headersTimeoutMs = requestTimeout } = this.#options;
    const { keepAliveTimeoutMs: keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS } = this.#options;
    const headerTimeouts = { headersTimeout: headersTimeoutMs, handshakeTimeout: headersTimeoutMs };
    return {
      ...headerTimeouts,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    };
  }

  async #loadTlsOptions(keyPair: KeyPairSource): Promise<ServerTlsOptions> {
    const { clientCa } = this.#options;
    const pair = await keyPair.load();
    if (clientCa === undefined) return pair;
    return { ...pair, ca: await clientCa.load(), requestCert: true, rejectUnauthorized: true };
  }

  /** Uses a new certificate or a new client CA for new connections. Open connections keep the old certificates. */
  async #watchFiles({ server, tls }: ListeningServer, signal: AbortSignal): Promise<void> {
    const { keyPair, clientCa } = this.#options;
    if (tls === undefined || !('setSecureContext' in server)) return;
    let currentOptions = tls;
    const applyChange = (changedOptions: Partial<ServerTlsOptions>) => {
      currentOptions = { ...currentOptions, ...changedOptions };
      server.setSecureContext(currentOptions);
    };
    const watches = [keyPair?.watch?.(signal, applyChange), clientCa?.watch(signal, (ca) => applyChange({ ca }))];
    await Promise.all(watches);
  }

  async #handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#seatLimiter.admitRequest(request, response)) return;
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

  /** Closes each connection after its response, because an idle connection would delay the shutdown. */
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
    const cancelTimeout = clock.schedule(stopTimeoutMs, () => this.#seatLimiter.closeAll());
    await new Promise((resolve) => server.close(resolve));
    cancelTimeout();
    this.#log.info('stopped listening');
  }
}

export function sendText(response: ServerResponse, statusCode: number, body: string): void {
  response.writeHead(statusCode, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(body);
}

/** Returns the path and the query of a request as a URL with a placeholder for scheme and host. */
export function parseRequestUrl(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  return URL.parse(target.startsWith('/') ? `http://server${target}` : target) ?? new URL('http://server/');
}

const PORT_IN_USE_MESSAGE = 'another process listens there; stop it, or use another port';

function isPortInUse(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'EADDRINUSE';
}
