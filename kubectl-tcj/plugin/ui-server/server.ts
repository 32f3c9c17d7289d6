/** The server of the page: listens only on this machine, and admits only clients with its link. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PageAccess, TOKEN } from './access.ts';
import { Refusal, toRefusal } from './refusal.ts';
import { API_PREFIX, checkRequest } from './requests.ts';
import { createLinkRefusal, HEADERS, sendRefusal } from './responses.ts';
import { route, type ServerContext } from './routes.ts';

const HOST = '127.0.0.1';
/** Maximum time to receive a request. */
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Maximum time without data on a connection, for example when the client does not read. Longer than an API server takes to respond.
 */
const SILENCE_MS = 90_000;
const MAX_CONNECTIONS = 1024;

export interface UiServerOptions extends ServerContext {
  /** Receives faults of the program. */
  readonly failed: (error: unknown) => void;
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
    this.#server.timeout = SILENCE_MS;
    this.#server.on('clientError', rejectUnreadable);
  }

  /** Rejects when the port is in use. @param port 0: any free port. The server ends when the signal of the options aborts. */
  static async listen(port: number, options: UiServerOptions): Promise<UiServer> {
    const server = new UiServer(options);
    await once(server.#server.listen(port, HOST), 'listening');
    // The address is a string only for pipes and Unix sockets.
    server.#port = (server.#server.address() as AddressInfo).port;
    server.#server.on('error', options.failed);
    const close = () => server.#close();
    options.signal.addEventListener('abort', close, { once: true });
    if (options.signal.aborted) close();
    return server;
  }

  /** Resolves when the server has ended. */
  get closed(): Promise<unknown> {
    return this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
  }

  /** @param query Query of the page, such as `cronjob`. */
  link(query: Readonly<Record<string, string>>): string {
    return this.#linkWith(this.#access.token, query);
  }

  /** The link for the command line of a browser: it works once, within a minute. */
  launchLink(query: Readonly<Record<string, string>>): string {
    return this.#linkWith(this.#access.launchToken(), query);
  }

  #linkWith(token: string, query: Readonly<Record<string, string>>): string {
    return `http://${HOST}:${this.#port}/?${new URLSearchParams({ [TOKEN]: token, ...query })}`;
  }

  #close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that disconnects in the middle of a response is not a fault.
    request.on('error', ignore);
    response.on('error', ignore);
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      await this.#handle(request, response, gone.signal);
    } catch (error) {
      if (gone.signal.aborted || this.#options.signal.aborted) return;
      sendRefusal(response, this.#refusalFor(error), !(request.url ?? '').startsWith(API_PREFIX));
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const url = parseUrl(request);
    checkRequest(request, url.pathname, this.#port);
    const isApi = url.pathname.startsWith(API_PREFIX);
    const token = url.searchParams.get(TOKEN);
    const hasSession = this.#access.hasCookie(request.headers.cookie, this.#port);
    if (token !== null && !isApi && request.method !== 'POST' && (this.#access.admits(token) || hasSession)) {
      return this.#admit(response, url);
    }
    if (!hasSession) throw createLinkRefusal();
    await route({ request, response, url, signal }, this.#options);
  }

  /**
   * Removes the token from the address, and so from the history of the browser. The new address does not contain a path of the
   * request.
   */
  #admit(response: ServerResponse, url: URL): void {
    url.searchParams.delete(TOKEN);
    response.setHeader('Set-Cookie', this.#access.cookie(this.#port));
    response.writeHead(303, { Location: `/${url.search}`, 'Content-Length': 0 });
    response.end();
  }

  #refusalFor(error: unknown): Refusal {
    const refusal = toRefusal(error, this.#options.session.server);
    if (refusal !== undefined) return refusal;
    this.#options.failed(error);
    return new Refusal(500, 'Internal error in kubectl tcj ui; see the terminal in which it runs.');
  }
}

/**
 * Throws a Refusal. Accepts only URLs of this server: `//host/` is the address of another server, also where `/.//host/` becomes
 * that.
 */
function parseUrl({ url = '' }: IncomingMessage): URL {
  const parsed = url.startsWith('/') ? URL.parse(url, `http://${HOST}`) : null;
  if (parsed?.host !== HOST || parsed.pathname.startsWith('//')) throw new Refusal(400, 'The address is not valid.');
  return parsed;
}

function rejectUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const headers = { ...HEADERS, Connection: 'close', 'Content-Length': '0' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
}

function ignore(): void {}
