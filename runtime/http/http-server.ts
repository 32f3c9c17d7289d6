/** An HTTP or HTTPS server with a life: listens when started, lets running requests finish when stopped. */
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

/** Answers one request. What it throws is logged and answered with 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Time for a client to send its request; probes and scrapes are small. */
const REQUEST_TIMEOUT_MS = 30_000;
/** {@link HttpServerOptions.stopTimeoutMs} */
export const DEFAULT_STOP_TIMEOUT_MS = 5_000;
/** How often Node looks for requests that take longer. */
const TIMEOUT_CHECK_MS = 1_000;
const MAX_SEATS = 512;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/**
 * Connections that the kernel keeps until they are accepted, once in each turn of the event loop. It drops those beyond, and their
 * clients try again after 1, 3 and 7 seconds. Node's own 511 are too few for a flood; Linux has 4,096 at most (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

export interface HttpServerOptions {
  /** What it serves, for logs: `health probes`. */
  readonly name: string;
  readonly address: BindAddress & { readonly kind: 'listen' };
  readonly handler: HttpHandler;
  /** Makes it HTTPS. */
  readonly keyPair?: KeyPairSource;
  /** With a key pair: who has no certificate of one of these is refused in the handshake, before a byte of a request. */
  readonly clientCa?: ClientCaSource | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * How long new requests are answered after the stop. Whoever finds this server through a load balancer is sent elsewhere
   * only once that has noticed. Each answer then closes its connection, so that the client opens another one. Default 0.
   */
  readonly shutdownDelayMs?: number;
  /** How long running requests may take after that before their connections are cut. Default 5 s. */
  readonly stopTimeoutMs?: number;
  /** How long an idle connection is kept for the client's next request. Default 5 s. */
  readonly keepAliveTimeoutMs?: number;
  /** How long a client may take for its TLS handshake, and for the headers of a request. Default 30 s. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take for a request as a whole; and after the answer, to begin or go on to read it. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** Most seats for connections, bodies and answers; see {@link SeatLimiter}. Default 512. */
  readonly maxSeats?: number;
}

interface TlsOptions extends KeyPair {
  readonly ca?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

interface Opened {
  readonly server: Server | TlsServer;
  /** Absent when it is HTTP. */
  readonly tls: TlsOptions | undefined;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #log: Logger;
  readonly #running = new Set<ServerResponse>();
  readonly #seats: SeatLimiter;
  readonly #listening = Promise.withResolvers<AddressInfo>();
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#seats = new SeatLimiter(options.maxSeats ?? MAX_SEATS, this.#timeouts().requestTimeout);
    this.#log = options.log.with({ server: options.name });
    // start() rejects as well; nobody has to ask for the address.
    this.#listening.promise.catch(() => {});
  }

  /** The address, once it listens; tells which port the system chose. Rejects when it cannot listen. */
  get listening(): Promise<AddressInfo> {
    return this.#listening.promise;
  }

  /** Seats that are taken now. */
  get seats(): number {
    return this.#seats.seats;
  }

  /** Reserves memory for a request until its answer: `false` when there is too little; see {@link SeatLimiter}. */
  reserve(request: IncomingMessage, bytes: number): boolean {
    return this.#seats.reserve(request, bytes);
  }

  /** Listens until `signal` aborts, and the delay after it is over; resolves when the last request is done. Rejects when it cannot listen. */
  async start(signal: AbortSignal): Promise<void> {
    const opened = await this.#open();
    signal.addEventListener('abort', () => this.#refuseToKeepAlive(), { once: true });
    await Promise.all([aborted(signal), this.#followFiles(opened, signal)]);
    await this.#linger();
    await this.#close(opened.server);
  }

  async #open(): Promise<Opened> {
    const { name, address, keyPair } = this.#options;
    try {
      const tls = keyPair && (await this.#secureContext(keyPair));
      const server = this.#create(tls);
      server.listen({
        port: address.port,
        backlog: BACKLOG,
        ...(address.host !== undefined && { host: address.host }),
      });
      await once(server, 'listening');
      // A string only for pipes and Unix sockets.
      const bound = server.address() as AddressInfo;
      this.#log.info('listening', { address: bound.address, port: bound.port, tls: keyPair !== undefined });
      this.#listening.resolve(bound);
      return { server, tls };
    } catch (cause) {
      const step = `listen on ${formatBindAddress(address)} for ${name}`;
      const error = new ConfigurationError(isInUse(cause) ? `${step}: ${IN_USE}` : step, { cause });
      this.#listening.reject(error);
      throw error;
    }
  }

  #create(tls: TlsOptions | undefined): Server | TlsServer {
    const onRequest = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response);
    const limits = this.#timeouts();
    const server =
      tls === undefined ? createServer(limits, onRequest) : createTlsServer({ ...limits, ...tls }, onRequest);
    this.#seats.watch(server);
    return server;
  }

  #timeouts() {
    const { requestTimeoutMs: requestTimeout = REQUEST_TIMEOUT_MS, headersTimeoutMs = requestTimeout } = this.#options;
    const { keepAliveTimeoutMs: keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS } = this.#options;
    const headers = { headersTimeout: headersTimeoutMs, handshakeTimeout: headersTimeoutMs };
    return { ...headers, requestTimeout, keepAliveTimeout, connectionsCheckingInterval: TIMEOUT_CHECK_MS };
  }

  async #secureContext(keyPair: KeyPairSource): Promise<TlsOptions> {
    const { clientCa } = this.#options;
    const pair = await keyPair.load();
    if (clientCa === undefined) return pair;
    return { ...pair, ca: await clientCa.load(), requestCert: true, rejectUnauthorized: true };
  }

  /** New connections get the new certificate, and are judged by the new CA; those that are open keep theirs. */
  async #followFiles({ server, tls }: Opened, signal: AbortSignal): Promise<void> {
    const { keyPair, clientCa } = this.#options;
    if (tls === undefined || !('setSecureContext' in server)) return;
    let current = tls;
    const change = (changed: Partial<TlsOptions>) => {
      current = { ...current, ...changed };
      server.setSecureContext(current);
    };
    const watches = [keyPair?.watch?.(signal, change), clientCa?.watch(signal, (ca) => change({ ca }))];
    await Promise.all(watches);
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#seats.begin(request, response)) return;
    this.#running.add(response);
    response.once('close', () => this.#running.delete(response));
    if (this.#isStopping) response.setHeader('connection', 'close');
    try {
      await this.#options.handler(request, response);
    } catch (error) {
      this.#log.error('request failed', error, { method: request.method, url: request.url });
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'internal server error\n');
    }
  }

  /** Connections that are kept alive would hold the server open after their last answer. */
  #refuseToKeepAlive(): void {
    this.#isStopping = true;
    for (const response of this.#running) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  async #linger(): Promise<void> {
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

/** The request's URL. Scheme and host are made up: only path and query mean something. */
export function urlOf(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  return URL.parse(target.startsWith('/') ? `http://server${target}` : target) ?? new URL('http://server/');
}

const IN_USE = 'another process listens there; stop it, or give another port';

function isInUse(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'EADDRINUSE';
}
