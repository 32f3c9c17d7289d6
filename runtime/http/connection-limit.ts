import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Clock } from '../clock/clock.ts';

/** What has had no request for so long may be closed for another: a handshake takes milliseconds, under load some hundreds. */
const IDLE_MS = 1_000;

interface Connection {
  readonly socket: Socket;
  /** Whether it ever had a request. */
  hasAsked: boolean;
  readonly address: string | undefined;
  /** Whether a request waits for its answer. One that was answered does not, even if the client never reads the answer. */
  isBusy: boolean;
  /** When it last began not to be. */
  idleSinceMs: number;
}

/**
 * Bounds the connections of a server. When there is one too many, the address that has the most gives one up: the one that has had no
 * request for the longest time is closed, in the middle of its handshake or of its headers too. So whoever holds connections open keeps
 * nobody out who has fewer. Where nobody has more than the new one's address, and all are young, a random one that never asked for
 * anything is closed: whoever asks at once is most likely spared. When there is none, the new one is closed.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #clock: Clock;
  /** By the client's address and port; of those that are not busy, the one that has not been for the longest time comes first. */
  readonly #connections = new Map<string, Connection>();
  readonly #countOf = new Map<string | undefined, number>();

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Follows the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    // Before the handler: it may answer at once.
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const client = clientOf(socket);
      const connection = this.#connections.get(client);
      if (connection === undefined) return;
      connection.isBusy = true;
      connection.hasAsked = true;
      response.once('prefinish', () => this.#end(client, connection));
    });
  }

  /** Closes all connections: also those before or in their TLS handshake, of which the HTTP server does not know. */
  closeAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #add(socket: Socket): void {
    const address = socket.remoteAddress;
    if (this.#connections.size >= this.#max && !this.#closeOneFor(address)) {
      socket.destroy();
      return;
    }
    const client = clientOf(socket);
    const connection = { socket, address, hasAsked: false, isBusy: false, idleSinceMs: this.#clock.monotonicMs() };
    this.#connections.set(client, connection);
    this.#countOf.set(address, this.#count(address) + 1);
    socket.once('close', () => this.#remove(client, connection));
  }

  /** Whether there is room now for a connection from `address`. */
  #closeOneFor(address: string | undefined): boolean {
    const own = this.#count(address) + 1;
    let [most, idle]: [number, Connection[]] = [own, []];
    for (const connection of this.#connections.values()) {
      if (connection.isBusy) continue;
      const count = connection.address === address ? own : this.#count(connection.address);
      if (count > most) [most, idle] = [count, []];
      if (count === most) idle.push(connection);
    }
    const given = most > own ? idle[0] : this.#chosenOf(idle);
    if (given === undefined) return false;
    this.#remove(clientOf(given.socket), given);
    given.socket.destroy();
    return true;
  }

  #chosenOf(idle: readonly Connection[]): Connection | undefined {
    const [oldest] = idle;
    if (oldest === undefined || this.#clock.monotonicMs() - oldest.idleSinceMs >= IDLE_MS) return oldest;
    const silent = idle.filter(({ hasAsked }) => !hasAsked);
    return silent[Math.floor(Math.random() * silent.length)];
  }

  #end(client: string, connection: Connection): void {
    if (this.#connections.get(client) !== connection) return;
    connection.isBusy = false;
    connection.idleSinceMs = this.#clock.monotonicMs();
    this.#connections.delete(client);
    this.#connections.set(client, connection);
  }

  #remove(client: string, connection: Connection): void {
    if (this.#connections.get(client) !== connection) return;
    this.#connections.delete(client);
    const count = this.#count(connection.address) - 1;
    if (count > 0) this.#countOf.set(connection.address, count);
    else this.#countOf.delete(connection.address);
  }

  #count(address: string | undefined): number {
    return this.#countOf.get(address) ?? 0;
  }
}

/** The same for a connection and for what TLS makes of it. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
