/** The HTTP server of `kubectl tcj ui`, which listens only on 127.0.0.1 and authenticates every client. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PageAccess, TOKEN_PARAMETER } from './access.ts';
import { API_PREFIX, checkRequest } from './check-request.ts';
import { HttpError, toHttpError } from './http-error.ts';
import { COMMON_HEADERS, createMissingLinkError, sendHttpError } from './responses.ts';
import { routeRequest, type ServerContext } from './routes.ts';

const HOST = '127.0.0.1';
/** The maximum time to receive a request. */
const REQUEST_TIMEOUT_MS = 30_000;
/** The maximum time without data on a connection. The API server needs less time for a response. */
const SOCKET_TIMEOUT_MS = 90_000;
const MAX_CONNECTIONS = 1024;

export interface UiServerOptions extends ServerContext {
  readonly reportInternalError: (error: unknown) => void;
}

export class UiServer {
  readonly #options: UiServerOptions;
  readonly #access: PageAccess;
  readonly #server: Server;
  #port = 0;

  private constructor(options: UiServerOptions) {
    this.#options = options;
    this.#access = new PageAccess(options.clock);
    this.#server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      void this.#respond(request, response);
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.timeout = SOCKET_TIMEOUT_MS;
    this.#server.on('clientError', rejectMalformedRequest);
  }

  /** Starts a server, which stops when the signal aborts. Rejects if the port is in use. @param port 0 means any free port. */
  static async listen(port: number, options: UiServerOptions): Promise<UiServer> {
    const server = new UiServer(options);
    await once(server.#server.listen(port, HOST), 'listening');
    // The address of a TCP server is an object.
    server.#port = (server.#server.address() as AddressInfo).port;
    server.#server.on('error', options.reportInternalError);
    const close = () => server.#close();
    options.signal.addEventListener('abort', close, { once: true });
    if (options.signal.aborted) close();
    return server;
  }

  get whenClosed(): Promise<unknown> {
    return this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
  }

  /** @param query The query parameters of the page, such as `cronjob`. */
  createLink(query: Readonly<Record<string, string>>): string {
    return this.#formatLink(this.#access.token, query);
  }

  /** Returns a link for the command line of a browser. The link is valid once, for a minute. */
  createLaunchLink(query: Readonly<Record<string, string>>): string {
    return this.#formatLink(this.#access.createLaunchToken(), query);
  }

  #formatLink(token: string, query: Readonly<Record<string, string>>): string {
    return `http://${HOST}:${this.#port}/?${new URLSearchParams({ [TOKEN_PARAMETER]: token, ...query })}`;
  }

  #close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client may disconnect during a response.
    request.on('error', ignoreError);
    response.on('error', ignoreError);
    for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
    const disconnectController = new AbortController();
    response.once('close', () => disconnectController.abort());
    try {
      await this.#handle(request, response, disconnectController.signal);
    } catch (error) {
      if (disconnectController.signal.aborted || this.#options.signal.aborted) return;
      sendHttpError(response, this.#toHttpError(error), !(request.url ?? '').startsWith(API_PREFIX));
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const url = parseUrl(request);
    checkRequest(request, url.pathname, this.#port);
    const isApiRequest = url.pathname.startsWith(API_PREFIX);
    const token = url.searchParams.get(TOKEN_PARAMETER);
    const hasSession = this.#access.hasCookie(request.headers.cookie, this.#port);
    if (
      token !== null &&
      !isApiRequest &&
      request.method !== 'POST' &&
      (this.#access.acceptToken(token) || hasSession)
    ) {
      return this.#redirectWithCookie(response, url);
    }
    if (!hasSession) throw createMissingLinkError();
    await routeRequest({ request, response, url, signal }, this.#options);
  }

  /** Redirects to a URL without the token, so that the history of the browser does not contain the token. */
  #redirectWithCookie(response: ServerResponse, url: URL): void {
    url.searchParams.delete(TOKEN_PARAMETER);
    response.setHeader('Set-Cookie', this.#access.createCookie(this.#port));
    response.writeHead(303, { Location: `/${url.search}`, 'Content-Length': 0 });
    response.end();
  }

  #toHttpError(error: unknown): HttpError {
    const httpError = toHttpError(error, this.#options.session.server);
    if (httpError !== undefined) return httpError;
    this.#options.reportInternalError(error);
    return new HttpError(500, 'Internal error in kubectl tcj ui; see the terminal in which it runs.');
  }
}

/** Rejects URLs that a browser resolves to another host, such as `//host/` and `/.//host/`. */
function parseUrl({ url = '' }: IncomingMessage): URL {
  const parsed = url.startsWith('/') ? URL.parse(url, `http://${HOST}`) : null;
  if (parsed?.host !== HOST || parsed.pathname.startsWith('//')) throw new HttpError(400, 'The address is not valid.');
  return parsed;
}

function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const headers = { ...COMMON_HEADERS, Connection: 'close', 'Content-Length': '0' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
}

function ignoreError(): void {}
