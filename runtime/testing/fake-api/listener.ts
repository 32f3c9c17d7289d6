import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';

export interface ListenerOptions {
  /** Serve HTTPS. Plain HTTP when absent. */
  readonly tls: TlsOptions | undefined;
  readonly onRequest: (message: IncomingMessage, response: ServerResponse) => void;
  /** Connections came or went. */
  readonly onConnections: () => void;
}

/** The server's port on 127.0.0.1 and the connections to it. Keeps them open for ever; only tests end them. */
export class Listener {
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

  /** Listens, on the same port as before if there was one. */
  async start(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port; // a TCP server's address is never a pipe's
  }

  /** Resets every connection and takes no new ones. */
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

/** Ends the connection the hard way: the peer sees ECONNRESET (plain TCP) or a break without TLS's goodbye. */
export function resetSocket(socket: Socket | null): void {
  if (socket === null || socket.destroyed) return;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
