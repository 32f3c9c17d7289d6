import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Memory of one seat. One seat is enough for a connection with a request and a response of the usual size. */
const BYTES_PER_SEAT = 64 * 1024;
/** Share of the seats that is reserved for requests of at most one seat. */
const RESERVED_SEAT_SHARE = 0.25;

interface Connection {
  readonly socket: Socket;
  /** Address and port of the client. The TCP socket and the TLS socket of a connection have the same key. */
  readonly clientKey: string;
  readonly address: string | undefined;
  /** Responses that the client has not read yet. */
  readonly responses: Set<ServerResponse>;
  seats: number;
  /** Whether the server has received the whole request and has not yet completed the response. */
  isBusy: boolean;
}

/**
 * Limits the memory that the clients of a server use. Each connection takes a seat of 64 KiB. A large body, or a large
 * response that the client does not read, takes more seats. When all seats are taken, the limiter selects the client
 * address with the most seats, and closes the connection of this address that has been idle or sending for the longest
 * time. The limiter does not close a connection while the server handles a request of the connection.
 */
export class SeatLimiter {
  readonly #maxSeats: number;
  readonly #responseTimeoutMs: number;
  /**
   * Connections by client key. The first connection in the map is the connection that has been idle or sending for the
   * longest time.
   */
  readonly #connections = new Map<string, Connection>();
  readonly #seatsByAddress = new Map<string | undefined, number>();
  #seats = 0;

  /** @param responseTimeoutMs Timeout of a client that does not read its response, in milliseconds. */
  constructor(maxSeats: number, responseTimeoutMs: number) {
    this.#maxSeats = maxSeats;
    this.#responseTimeoutMs = responseTimeoutMs;
  }

  /**
   * Number of seats in use. The number exceeds the maximum if the newest response needs more seats than the limiter can
   * free.
   */
  get seats(): number {
    return this.#seats;
  }

  /** Call this method before `server` listens. */
  trackConnections(server: Server): void {
    server.on('connection', (socket: Socket) => this.#addConnection(socket));
  }

  /**
   * Returns whether the server should handle the request. Closes the connection of a client that sends a request before
   * it has read the previous response, because unread responses use memory.
   */
  admitRequest(request: IncomingMessage, response: ServerResponse): boolean {
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
   * Takes the seats for a request of `byteCount` bytes, until the response is complete. Returns false if the limiter
   * cannot free enough seats.
   */
  reserve({ socket }: IncomingMessage, byteCount: number): boolean {
    const connection = this.#connections.get(getClientKey(socket));
    if (connection === undefined) return false;
    const seats = computeSeats(byteCount);
    const needsSeveralSeats = seats > 1 && seats > connection.seats;
    if (needsSeveralSeats && this.#countBusySeats(connection) + seats > this.#maxSeats * (1 - RESERVED_SEAT_SHARE))
      return false;
    if (!this.#freeSeats(connection.address, seats - connection.seats, connection)) return false;
    this.#setSeats(connection, seats);
    return true;
  }

  /**
   * Closes all connections. Unlike `closeAllConnections` of the HTTP server, also closes connections during the TLS
   * handshake.
   */
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
      clientKey: getClientKey(socket),
      address,
      responses: new Set<ServerResponse>(),
      seats: 0,
      isBusy: false,
    };
    this.#connections.set(connection.clientKey, connection);
    this.#setSeats(connection, 1);
    socket.once('close', () => this.#remove(connection));
  }

  /** After this call, the limiter may close the connection, even if the client has not read the whole response. */
  #onResponseSent(connection: Connection, response: ServerResponse): void {
    response.setTimeout(this.#responseTimeoutMs);
    connection.isBusy = false;
    this.#moveToEnd(connection);
    const seats = computeSeats(response.writableLength);
    this.#freeSeats(connection.address, seats - connection.seats, connection);
    this.#setSeats(connection, seats);
  }

  #freeSeats(address: string | undefined, seats: number, excludedConnection?: Connection): boolean {
    while (this.#seats + seats > this.#maxSeats) {
      const connectionToClose = this.#findConnectionToClose(address, seats, excludedConnection);
      if (connectionToClose === undefined) return false;
      this.#remove(connectionToClose);
      connectionToClose.socket.destroy();
    }
    return true;
  }

  /**
   * Returns the first idle connection of the address with the most seats. Returns `undefined` if all idle connections
   * belong to addresses with fewer seats than `address`.
   */
  #findConnectionToClose(
    address: string | undefined,
    seats: number,
    excludedConnection?: Connection,
  ): Connection | undefined {
    const neededSeats = (this.#seatsByAddress.get(address) ?? 0) + seats;
    let [connectionToClose, mostSeats]: [Connection | undefined, number] = [undefined, neededSeats - 1];
    for (const connection of this.#connections.values()) {
      if (connection.isBusy || connection === excludedConnection) continue;
      const seatCount =
        connection.address === address ? neededSeats : (this.#seatsByAddress.get(connection.address) ?? 0);
      if (seatCount > mostSeats) [connectionToClose, mostSeats] = [connection, seatCount];
    }
    return connectionToClose;
  }

  #countBusySeats(excludedConnection: Connection): number {
    let seats = 0;
    for (const each of this.#connections.values()) if (each.isBusy && each !== excludedConnection) seats += each.seats;
    return seats;
  }

  #setSeats(connection: Connection, seats: number): void {
    if (this.#connections.get(connection.clientKey) !== connection) return;
    const addedSeats = seats - connection.seats;
    const addressSeats = (this.#seatsByAddress.get(connection.address) ?? 0) + addedSeats;
    connection.seats = seats;
    this.#seats += addedSeats;
    if (addressSeats > 0) this.#seatsByAddress.set(connection.address, addressSeats);
    else this.#seatsByAddress.delete(connection.address);
  }

  #remove(connection: Connection): void {
    this.#setSeats(connection, 0);
    if (this.#connections.get(connection.clientKey) === connection) this.#connections.delete(connection.clientKey);
  }

  #moveToEnd(connection: Connection): void {
    if (this.#connections.get(connection.clientKey) !== connection) return;
    this.#connections.delete(connection.clientKey);
    this.#connections.set(connection.clientKey, connection);
  }
}

function getClientKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function computeSeats(byteCount: number): number {
  return Math.max(1, Math.ceil(byteCount / BYTES_PER_SEAT));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Returns whether the client sends requests without reading the responses. A single complete response is normal,
 * because the server deletes a response from `responses` only a moment after the transmission.
 */
function isPipelined({ responses }: Connection): boolean {
  return responses.size > 1 || [...responses].some(({ writableEnded }) => !writableEnded);
}
