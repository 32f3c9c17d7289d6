import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';

export interface ListenerOptions {
  /** Serves HTTPS. Default: plain HTTP. */
  readonly tls: TlsOptions | undefined;
  readonly onRequest: (message: IncomingMessage, response: ServerResponse) => void;
  /** Called when a connection opens or closes. */
  readonly onConnections: () => void;
}

/** Listens on a port of 127.0.0.1. Idle connections stay open until the test or the client closes them. */
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

  /** Starts to listen. After a restart, the port is the same. */
  async start(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port; // a TCP server has an AddressInfo
  }

  /** Resets all connections and stops listening. */
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

/** Resets a connection. The client gets ECONNRESET, or with TLS, the end of the connection without close_notify. */
export function resetSocket(socket: Socket | null): void {
  if (socket === null || socket.destroyed) return;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
