import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** What a connection costs in memory: its buffers, and most requests and answers. */
const SEAT_BYTES = 64 * 1024;
/** The part of the seats that wide requests leave free while they are answered: others are not kept out. */
const RESERVED_SHARE = 0.25;

interface Connection {
  readonly socket: Socket;
  /** Address and port: the same for a connection and for what TLS makes of it. */
  readonly client: string;
  readonly address: string | undefined;
  /** Answers that the client has not read as far as is known. */
  readonly answers: Set<ServerResponse>;
  seats: number;
  /** The request is here as a whole, and is being answered. */
  isBusy: boolean;
}

/**
 * Bounds the memory that the clients of a server use. A connection takes a seat of 64 KiB; a larger body, or an answer that is not read,
 * takes as many as it needs. When no seat is free, the address with the most seats loses the connection that has been idle or sending for
 * the longest time. Clients of other addresses are not closed for it, and no connection is closed while its request is being answered.
 */
export class SeatLimiter {
  readonly #maxSeats: number;
  readonly #answerTimeoutMs: number;
  /** By client; the one that has been idle or sending for the longest time comes first. */
  readonly #connections = new Map<string, Connection>();
  readonly #seatsOf = new Map<string | undefined, number>();
  #seats = 0;

  /** @param answerTimeoutMs How long a client may take none of an answer. */
  constructor(maxSeats: number, answerTimeoutMs: number) {
    this.#maxSeats = maxSeats;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** Seats that are taken: at most the maximum, and those of the newest answer. */
  get seats(): number {
    return this.#seats;
  }

  /** Follows the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#open(socket));
  }

  /** Whether to answer a request. Clients that do not wait for answers are closed: the answers would pile up. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#connections.get(clientOf(request.socket));
    if (connection === undefined || isPipelined(connection)) {
      request.socket.destroy();
      return false;
    }
    this.#moveToEnd(connection);
    connection.isBusy = !hasBody(request);
    connection.answers.add(response);
    request.once('end', () => {
      connection.isBusy = !response.writableEnded;
    });
    response.once('prefinish', () => this.#answered(connection, response));
    response.once('close', () => {
      connection.answers.delete(response);
      if (connection.answers.size === 0) this.#take(connection, 1);
    });
    return true;
  }

  /** Takes as many seats as `bytes` need for a request, from now until its answer. `false` when they cannot be free soon. */
  reserve({ socket }: IncomingMessage, bytes: number): boolean {
    const connection = this.#connections.get(clientOf(socket));
    if (connection === undefined) return false;
    const seats = seatsFor(bytes);
    const isWide = seats > 1 && seats > connection.seats;
    if (isWide && this.#busySeats(connection) + seats > this.#maxSeats * (1 - RESERVED_SHARE)) return false;
    if (!this.#makeRoom(connection.address, seats - connection.seats, connection)) return false;
    this.#take(connection, seats);
    return true;
  }

  /** Closes all connections: also those before or in their TLS handshake, of which the HTTP server does not know. */
  closeAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #open(socket: Socket): void {
    const address = socket.remoteAddress;
    if (!this.#makeRoom(address, 1)) {
      socket.destroy();
      return;
    }
    const connection = {
      socket,
      client: clientOf(socket),
      address,
      answers: new Set<ServerResponse>(),
      seats: 0,
      isBusy: false,
    };
    this.#connections.set(connection.client, connection);
    this.#take(connection, 1);
    socket.once('close', () => this.#remove(connection));
  }

  /** From now on the answer waits for its client. It is sent whatever room there is, and makes room for others like an idle connection. */
  #answered(connection: Connection, response: ServerResponse): void {
    response.setTimeout(this.#answerTimeoutMs);
    connection.isBusy = false;
    this.#moveToEnd(connection);
    const seats = seatsFor(response.writableLength);
    this.#makeRoom(connection.address, seats - connection.seats, connection);
    this.#take(connection, seats);
  }

  #makeRoom(address: string | undefined, seats: number, own?: Connection): boolean {
    while (this.#seats + seats > this.#maxSeats) {
      const victim = this.#victimFor(address, seats, own);
      if (victim === undefined) return false;
      this.#remove(victim);
      victim.socket.destroy();
    }
    return true;
  }

  /** The first connection that is not busy, of the address with the most seats. `undefined` when that would be one with fewer than `address`. */
  #victimFor(address: string | undefined, seats: number, own?: Connection): Connection | undefined {
    const wanted = (this.#seatsOf.get(address) ?? 0) + seats;
    let [victim, most]: [Connection | undefined, number] = [undefined, wanted - 1];
    for (const connection of this.#connections.values()) {
      if (connection.isBusy || connection === own) continue;
      const count = connection.address === address ? wanted : (this.#seatsOf.get(connection.address) ?? 0);
      if (count > most) [victim, most] = [connection, count];
    }
    return victim;
  }

  #busySeats(except: Connection): number {
    let seats = 0;
    for (const each of this.#connections.values()) if (each.isBusy && each !== except) seats += each.seats;
    return seats;
  }

  #take(connection: Connection, seats: number): void {
    if (this.#connections.get(connection.client) !== connection) return;
    const more = seats - connection.seats;
    const ofAddress = (this.#seatsOf.get(connection.address) ?? 0) + more;
    connection.seats = seats;
    this.#seats += more;
    if (ofAddress > 0) this.#seatsOf.set(connection.address, ofAddress);
    else this.#seatsOf.delete(connection.address);
  }

  #remove(connection: Connection): void {
    this.#take(connection, 0);
    if (this.#connections.get(connection.client) === connection) this.#connections.delete(connection.client);
  }

  #moveToEnd(connection: Connection): void {
    if (this.#connections.get(connection.client) !== connection) return;
    this.#connections.delete(connection.client);
    this.#connections.set(connection.client, connection);
  }
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function seatsFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / SEAT_BYTES));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Whether the client cannot have read the answer to its last request. One complete answer may be under way: that it has gone out is known
 * here a moment after its last byte went.
 */
function isPipelined({ answers }: Connection): boolean {
  return answers.size > 1 || [...answers].some(({ writableEnded }) => !writableEnded);
}
