import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Memory of a connection: its buffers, and most requests and answers. */
const SEAT_BYTES = 64 * 1024;
/** Share of the seats that large requests leave free while they are answered, for other clients. */
const RESERVED_SHARE = 0.25;

interface Connection {
  readonly socket: Socket;
  /** Address and port: the same for a connection and for the TLS socket on top of it. */
  readonly client: string;
  readonly address: string | undefined;
  /** Answers that the client has not read, as far as the server knows. */
  readonly answers: Set<ServerResponse>;
  seats: number;
  /** Whether the whole request has arrived and is being answered. */
  isBusy: boolean;
}

/**
 * Limits the memory that the clients of a server use. A connection takes a seat of 64 KiB; a larger body, or an answer
 * that the client does not read, takes as many seats as it needs. When no seat is free, the address with the most seats
 * loses the connection that has been idle or sending for the longest time. Connections of other addresses stay open,
 * and no connection closes while its request is being answered.
 */
export class SeatLimiter {
  readonly #maxSeats: number;
  readonly #answerTimeoutMs: number;
  /** By client; the connection that has been idle or sending for the longest time comes first. */
  readonly #connections = new Map<string, Connection>();
  readonly #seatsOf = new Map<string | undefined, number>();
  #seats = 0;

  /** @param answerTimeoutMs How long a client may go without reading any of an answer. */
  constructor(maxSeats: number, answerTimeoutMs: number) {
    this.#maxSeats = maxSeats;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** Number of taken seats: at most the maximum plus the seats of the newest answer. */
  get seats(): number {
    return this.#seats;
  }

  /** Tracks the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#open(socket));
  }

  /** Whether to answer a request. Closes clients that do not wait for answers, because the answers would pile up. */
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

  /**
   * Takes as many seats as `bytes` need for a request, from now until its answer. Returns `false` when they cannot
   * become free soon.
   */
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

  /** Closes all connections, including those before or in their TLS handshake, which the HTTP server does not know. */
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

  /**
   * From now on the answer waits for its client. It is sent even without free seats, and counts as idle when others
   * need seats.
   */
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

  /**
   * Returns the first connection that is not busy, of the address with the most seats, or `undefined` when that address
   * has fewer seats than `address`.
   */
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
 * Whether the client cannot have read the answer to its last request. One complete answer may be in flight: the server
 * learns a moment after the last byte that it has been sent.
 */
function isPipelined({ answers }: Connection): boolean {
  return answers.size > 1 || [...answers].some(({ writableEnded }) => !writableEnded);
}
