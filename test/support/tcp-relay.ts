import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Returns the target port on 127.0.0.1 for each connection; `undefined` resets the connection. Never rejects. */
export type RelayTarget = () => Promise<number | undefined>;

/**
 * Forwards TCP connections to ports of this machine. For servers whose clients keep connections open: a fault of a new connection only
 * shows when the old ones are cut. Also for clients that know one port, while servers change.
 */
export class TcpRelay implements AsyncDisposable {
  readonly #server: Server;
  /** Sockets of the clients, each with its connection to the target once there is one. */
  readonly #sockets = new Map<Socket, Socket | undefined>();

  private constructor(target: RelayTarget) {
    this.#server = createServer((socket) => void this.#pass(socket, target));
  }

  static async to(target: number | RelayTarget): Promise<TcpRelay> {
    const relay = new TcpRelay(typeof target === 'number' ? async () => target : target);
    relay.#server.listen(0);
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    // A string only for pipes and Unix sockets.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes every connection gracefully; resolves when the clients have noticed. */
  async cut(): Promise<void> {
    await Promise.all(
      [...this.#sockets].map(async ([socket, connection]) => {
        const closed = new Promise((resolve) => socket.once('close', resolve));
        connection?.unpipe(socket); // later data of the target would be written after the end
        socket.end();
        await closed;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(socket: Socket, target: RelayTarget): Promise<void> {
    this.#sockets.set(socket, undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const port = await target();
    if (port === undefined) socket.resetAndDestroy();
    if (port === undefined || socket.destroyed) return;
    const connection = connect(port, '127.0.0.1');
    this.#sockets.set(socket, connection);
    connection.on('error', () => connection.destroy());
    connection.once('close', () => socket.destroy());
    socket.once('close', () => connection.destroy());
    socket.pipe(connection).pipe(socket);
  }
}
