import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Passes TCP connections on to a port of this machine. For servers whose clients keep connections open: what such a client
 * would meet with a new one shows only when the old ones are cut.
 */
export class TcpRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(targetPort: number) {
    this.#server = createServer((socket) => {
      const target = connect(targetPort, '127.0.0.1');
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        target.destroy();
      });
      target.once('close', () => socket.destroy());
      for (const each of [socket, target]) each.on('error', () => each.destroy());
      socket.pipe(target).pipe(socket);
    });
  }

  static async to(targetPort: number): Promise<TcpRelay> {
    const relay = new TcpRelay(targetPort);
    relay.#server.listen(0);
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    // A string only for pipes and Unix sockets.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection in good order; resolves when the clients have noticed. */
  async cut(): Promise<void> {
    await Promise.all(
      [...this.#sockets].map(async (socket) => {
        const closed = once(socket, 'close');
        socket.end();
        await closed;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
