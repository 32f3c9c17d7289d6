import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';

export interface ListenerOptions {
  /** Serves HTTPS. Default: plain HTTP. */
  readonly tls: TlsOptions | undefined;
  readonly onRequest: (message: IncomingMessage, response: ServerResponse) => void;
  /** Called when connections open or close. */
  readonly onConnections: () => void;
}

/** The server's port on 127.0.0.1 and its connections. It never closes them by itself; only tests do. */
export class TcpListener {
  accepted = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  readonly #onConnections: () => void;
  #port = 0;
  #rejections = 0;

  constructor({ tls, onRequest, onConnections }: ListenerOptions) {
    this.#server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
    this.#scheme = tls ? 'https' : 'http';
    this.#onConnections = onConnections;
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket: Socket) => this.#accept(socket));
  }

  get url(): URL {
    return new URL(`${this.#scheme}://127.0.0.1:${this.#port}`);
  }

  get open(): number {
    return this.#sockets.size;
  }

  rejectConnections(count: number): void {
    this.#rejections = count;
  }

  dropConnections(): void {
    for (const socket of [...this.#sockets]) resetSocket(socket);
  }

  /** Listens, on the same port as before if it had one. */
  async start(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port; // the address of a TCP server is never a pipe
  }

  /** Resets every connection and accepts no new ones. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server.close(), 'close');
    this.dropConnections();
    await closed;
  }

  #accept(socket: Socket): void {
    this.accepted++;
    if (this.#rejections > 0) {
      this.#rejections--;
      socket.resetAndDestroy();
    } else {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#onConnections();
      });
    }
    this.#onConnections();
  }
}

/** Resets the connection: the peer gets ECONNRESET (plain TCP) or an end without TLS close_notify. */
export function resetSocket(socket: Socket | null): void {
  if (socket === null || socket.destroyed) return;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
