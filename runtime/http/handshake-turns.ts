import type { Server, Socket } from 'node:net';

/** A handshake costs half a millisecond or more, most of it in the one step that answers the client's first bytes. */
const HANDSHAKES_PER_TURN = 16;
/**
 * libuv accepts one connection in each turn. While some come, so many turns in a row have no handshakes: they are short, and whoever is
 * last in the kernel's queue comes to where addresses take turns, instead of waiting for a handshake of each before it.
 */
const ACCEPTING_TURNS = 64;

/**
 * Lets few TLS handshakes begin in each turn of the event loop, and the addresses that wait one after the other. All that come at once
 * would be one turn of a second, in which nobody is answered; and who comes from another address would wait for them all.
 */
export class HandshakeTurns {
  readonly #server: Server;
  readonly #begin: (socket: Socket) => void;
  readonly #timeoutMs: number;
  /** Those that have sent their first bytes, by address; the address whose turn it is comes first. */
  readonly #waiting = new Map<string | undefined, Socket[]>();
  #isScheduled = false;
  /** In this turn. */
  #hasAccepted = false;
  /** Turns without handshakes, in a row. */
  #acceptingTurns = 0;

  /**
   * Stands between `server` and its new connections. It must not listen yet.
   * @param timeoutMs How long a client may take for its first bytes. From then on the server's own limits hold.
   */
  constructor(server: Server, timeoutMs: number) {
    const [begin] = server.listeners('connection');
    if (begin === undefined) throw new Error('the server has no listener for connections');
    server.off('connection', begin as (socket: Socket) => void);
    server.on('connection', (socket: Socket) => this.#await(socket));
    this.#server = server;
    this.#begin = (socket) => void Reflect.apply(begin, this.#server, [socket]);
    this.#timeoutMs = timeoutMs;
  }

  /** A client that says nothing takes no turn, and cannot keep many handshakes back to begin them all at once. */
  #await(socket: Socket): void {
    this.#hasAccepted = true;
    if (socket.destroyed) return;
    const close = () => void socket.destroy();
    // Without a listener, an error while it waits would end the process.
    socket.on('error', () => {}).setTimeout(this.#timeoutMs, close);
    socket.once('readable', () => {
      socket.setTimeout(0, close);
      // It was closed by the client, without a byte.
      if (socket.readableLength === 0) close();
      else this.#add(socket);
    });
  }

  #add(socket: Socket): void {
    const { remoteAddress } = socket;
    const own = this.#waiting.get(remoteAddress);
    if (own === undefined) this.#waiting.set(remoteAddress, [socket]);
    else own.push(socket);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turn();
      this.#schedule();
    });
  }

  #turn(): void {
    const isAccepting = this.#hasAccepted && this.#acceptingTurns < ACCEPTING_TURNS;
    this.#hasAccepted = false;
    this.#acceptingTurns = isAccepting ? this.#acceptingTurns + 1 : 0;
    if (isAccepting) return;
    for (let count = 0; count < HANDSHAKES_PER_TURN && this.#waiting.size > 0; ) if (this.#next()) count++;
  }

  /** Whether a handshake began. */
  #next(): boolean {
    for (const [address, sockets] of this.#waiting) {
      this.#waiting.delete(address);
      const socket = sockets.shift();
      if (sockets.length > 0) this.#waiting.set(address, sockets);
      if (socket === undefined || socket.destroyed) return false;
      this.#begin(socket);
      return true;
    }
    return false;
  }
}
