import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Clock } from '../clock/clock.ts';

/** What has had no request for so long may be closed for another: a handshake takes milliseconds, under load some hundreds. */
const IDLE_MS = 1_000;

interface Idle {
  readonly socket: Socket;
  readonly sinceMs: number;
}

/**
 * Bounds the connections of a server. When there is one too many, the one that has had no request for the longest time is closed, in
 * the middle of its handshake or of its headers too: so whoever holds connections open keeps nobody else out. Where all are young, the
 * new one is closed: else a flood of new ones would keep each other from ever coming to a request.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #clock: Clock;
  /** Connections without a request, by the client's address and port; the one to be closed first comes first. */
  readonly #idle = new Map<string, Idle>();
  /** Those with requests, and how many each has. */
  readonly #busy = new Map<string, { readonly socket: Socket; requests: number }>();

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Follows the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const client = clientOf(socket);
      this.#begin(client);
      response.once('close', () => this.#end(client));
    });
  }

  #add(socket: Socket): void {
    if (this.#idle.size + this.#busy.size >= this.#max && !this.#closeOldest()) {
      socket.destroy();
      return;
    }
    const client = clientOf(socket);
    this.#idle.set(client, { socket, sinceMs: this.#clock.monotonicMs() });
    socket.once('close', () => {
      if (this.#idle.get(client)?.socket === socket) this.#idle.delete(client);
      if (this.#busy.get(client)?.socket === socket) this.#busy.delete(client);
    });
  }

  #closeOldest(): boolean {
    for (const [client, { socket, sinceMs }] of this.#idle) {
      if (this.#clock.monotonicMs() - sinceMs < IDLE_MS) return false;
      this.#idle.delete(client);
      socket.destroy();
      return true;
    }
    return false;
  }

  #begin(client: string): void {
    const busy = this.#busy.get(client);
    if (busy) busy.requests++;
    const idle = this.#idle.get(client);
    if (idle === undefined) return;
    this.#idle.delete(client);
    this.#busy.set(client, { socket: idle.socket, requests: 1 });
  }

  #end(client: string): void {
    const busy = this.#busy.get(client);
    if (busy === undefined || --busy.requests > 0) return;
    this.#busy.delete(client);
    this.#idle.set(client, { socket: busy.socket, sinceMs: this.#clock.monotonicMs() });
  }
}

/** The same for a connection and for what TLS makes of it. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
