import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { SelfSignedCertificate } from 'controller-runtime/testing';

export interface TunnelProxyOptions {
  /** Required credentials. Default: the proxy accepts every client. */
  readonly username?: string;
  readonly password?: string;
  /** Makes it an https proxy, which prefers HTTP/2 but does not support it. */
  readonly certificate?: SelfSignedCertificate;
  /** Response to each CONNECT, byte by byte, before the connection ends. Default: a tunnel. */
  readonly answer?: string;
}

/** A corporate proxy for outgoing connections: it forwards connections to the target of CONNECT, and requests for http URLs. */
export class TunnelProxy implements AsyncDisposable {
  /** Hosts and ports of every accepted CONNECT, and the URLs of accepted requests. */
  readonly targets: string[] = [];
  /** URL with its credentials. */
  readonly url: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, options: TunnelProxyOptions) {
    const { username = '', password = '', certificate, answer } = options;
    this.#server = server;
    const { port } = server.address() as AddressInfo; // a string only for pipes and Unix sockets
    this.url = new URL(`${certificate ? 'https' : 'http'}://127.0.0.1:${port}`);
    this.url.username = encodeURIComponent(username);
    this.url.password = encodeURIComponent(password);
    const expected = username === '' ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    server.on('connection', (socket) => this.#track(socket));
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      if (answer !== undefined) socket.end(answer);
      else if (request.headers['proxy-authorization'] === expected) this.#pass(request.url ?? '', socket);
      else socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers['proxy-authorization'] === expected) this.#forward(request, response);
      else response.writeHead(407).end();
    });
  }

  static async start(options: TunnelProxyOptions = {}): Promise<TunnelProxy> {
    const { certificate } = options;
    const server = certificate
      ? createTlsServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] })
      : createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TunnelProxy(server, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(target: string, socket: Socket): void {
    this.targets.push(target);
    const { hostname, port } = new URL(`tcp://${target}`);
    const upstream = connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () =>
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    );
    this.#track(upstream);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => socket.destroy());
    upstream.pipe(socket).pipe(upstream);
  }

  #forward({ url = '', method = 'GET', headers }: IncomingMessage, response: ServerResponse): void {
    this.targets.push(url);
    const upstream = httpRequest(url, { method, headers, agent: false }, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
      response.flushHeaders();
      upstreamResponse.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    response.once('close', () => upstream.destroy());
    upstream.end(); // without a body: for GET
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
