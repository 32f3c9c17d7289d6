import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Memory of a connection: its buffers, and most requests and responses. */
const SEAT_BYTES = 64 * 1024;
/** Share of the seats that large requests leave free while they are answered, for other clients. */
const RESERVED_SHARE = 0.25;

interface Connection {
  readonly socket: Socket;
  /** Address and port: the same for a connection and for the TLS socket on top of it. */
  readonly client: string;
  readonly address: string | undefined;
  /** Responses that the client has not read, as far as the server knows. */
  readonly responses: Set<ServerResponse>;
  seats: number;
  /** Whether the whole request has arrived and is being answered. */
  isBusy: boolean;
}

/**
 * Limits the memory that the clients of a server use. A connection takes a seat of 64 KiB; a larger body, or a response
 * that the client does not read, takes as many seats as it needs. When no seat is free, the address with the most seats
 * loses the connection that has been idle or sending for the longest time. Connections of other addresses stay open,
 * and no connection closes while its request is being answered.
 */
export class SeatLimiter {
  readonly #maxSeats: number;
  readonly #responseTimeoutMs: number;
  /** By client; the connection that has been idle or sending for the longest time comes first. */
  readonly #connections = new Map<string, Connection>();
  readonly #seatsByAddress = new Map<string | undefined, number>();
  #seats = 0;

  /** @param responseTimeoutMs How long a client may go without reading any of a response. */
  constructor(maxSeats: number, responseTimeoutMs: number) {
    this.#maxSeats = maxSeats;
    this.#responseTimeoutMs = responseTimeoutMs;
  }

  /** Number of taken seats: at most the maximum plus the seats of the newest response. */
  get seats(): number {
    return this.#seats;
  }

  /** Tracks the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#addConnection(socket));
  }

  /** Whether to answer a request. Closes clients that do not wait for responses, because the responses would pile up. */
  startRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#connections.get(getClientKey(request.socket));
    if (connection === undefined || isPipelined(connection)) {
      request.socket.destroy();
      return false;
    }
    this.#moveToEnd(connection);
    connection.isBusy = !hasBody(request);
    connection.responses.add(response);
    request.once('end', () => {
      connection.isBusy = !response.writableEnded;
    });
    response.once('prefinish', () => this.#onResponseSent(connection, response));
    response.once('close', () => {
      connection.responses.delete(response);
      if (connection.responses.size === 0) this.#setSeats(connection, 1);
    });
    return true;
  }

  /**
   * Takes as many seats as `bytes` need for a request, from now until its response. Returns `false` when they cannot
   * become free soon.
   */
  reserve({ socket }: IncomingMessage, bytes: number): boolean {
    const connection = this.#connections.get(getClientKey(socket));
    if (connection === undefined) return false;
    const seats = computeSeats(bytes);
    const needsSeveralSeats = seats > 1 && seats > connection.seats;
    if (needsSeveralSeats && this.#countBusySeats(connection) + seats > this.#maxSeats * (1 - RESERVED_SHARE))
      return false;
    if (!this.#freeSeats(connection.address, seats - connection.seats, connection)) return false;
    this.#setSeats(connection, seats);
    return true;
  }

  /** Closes all connections, including those before or in their TLS handshake, which the HTTP server does not know. */
  closeAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #addConnection(socket: Socket): void {
    const address = socket.remoteAddress;
    if (!this.#freeSeats(address, 1)) {
      socket.destroy();
      return;
    }
    const connection = {
      socket,
      client: getClientKey(socket),
      address,
      responses: new Set<ServerResponse>(),
      seats: 0,
      isBusy: false,
    };
    this.#connections.set(connection.client, connection);
    this.#setSeats(connection, 1);
    socket.once('close', () => this.#remove(connection));
  }

  /**
   * From now on the response waits for its client. It is sent even without free seats, and counts as idle when others
   * need seats.
   */
  #onResponseSent(connection: Connection, response: ServerResponse): void {
    response.setTimeout(this.#responseTimeoutMs);
    connection.isBusy = false;
    this.#moveToEnd(connection);
    const seats = computeSeats(response.writableLength);
    this.#freeSeats(connection.address, seats - connection.seats, connection);
    this.#setSeats(connection, seats);
  }

  #freeSeats(address: string | undefined, seats: number, own?: Connection): boolean {
    while (this.#seats + seats > this.#maxSeats) {
      const victim = this.#findVictim(address, seats, own);
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
  #findVictim(address: string | undefined, seats: number, own?: Connection): Connection | undefined {
    const needed = (this.#seatsByAddress.get(address) ?? 0) + seats;
    let [victim, mostSeats]: [Connection | undefined, number] = [undefined, needed - 1];
    for (const connection of this.#connections.values()) {
      if (connection.isBusy || connection === own) continue;
      const count = connection.address === address ? needed : (this.#seatsByAddress.get(connection.address) ?? 0);
      if (count > mostSeats) [victim, mostSeats] = [connection, count];
    }
    return victim;
  }

  #countBusySeats(except: Connection): number {
    let seats = 0;
    for (const each of this.#connections.values()) if (each.isBusy && each !== except) seats += each.seats;
    return seats;
  }

  #setSeats(connection: Connection, seats: number): void {
    if (this.#connections.get(connection.client) !== connection) return;
    const addedSeats = seats - connection.seats;
    const addressSeats = (this.#seatsByAddress.get(connection.address) ?? 0) + addedSeats;
    connection.seats = seats;
    this.#seats += addedSeats;
    if (addressSeats > 0) this.#seatsByAddress.set(connection.address, addressSeats);
    else this.#seatsByAddress.delete(connection.address);
  }

  #remove(connection: Connection): void {
    this.#setSeats(connection, 0);
    if (this.#connections.get(connection.client) === connection) this.#connections.delete(connection.client);
  }

  #moveToEnd(connection: Connection): void {
    if (this.#connections.get(connection.client) !== connection) return;
    this.#connections.delete(connection.client);
    this.#connections.set(connection.client, connection);
  }
}

function getClientKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function computeSeats(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / SEAT_BYTES));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Whether the client cannot have read the response to its last request. One complete response may be in flight: the server
 * learns a moment after the last byte that it has been sent.
 */
function isPipelined({ responses }: Connection): boolean {
  return responses.size > 1 || [...responses].some(({ writableEnded }) => !writableEnded);
}
