/**
 * Makes a port of the node's network reachable on the machine's loopback address, where tests, kubectl and browsers are.
 *
 * A socket stays in the network it was opened in. So we listen, and hand the listening socket to a process that entered the node's network.
 * That process connects each client to the port there.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The message to the other process, sent together with the socket to listen on. */
export interface BridgeOrder {
  readonly port: number;
}

export class PortBridge {
  /** The port on 127.0.0.1, the same on the machine and on the node: one kubeconfig works for both. */
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  /** @param pid A process in the node's network. */
  static async open(pid: number): Promise<PortBridge> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('open a port: the server has no address');
    const child = fork(join(import.meta.dirname, 'port-bridge-child.ts'), [], {
      execPath: 'nsenter', // without a PID namespace it executes the command in the same process
      execArgv: [`--target=${pid}`, '--net', '--', process.execPath],
      detached: true, // Ctrl-C on the terminal does not reach the bridge; it ends when its channel to us closes
    });
    await once(child, 'spawn');
    const order: BridgeOrder = { port: address.port };
    child.send(order, server);
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`bridge a port: the process in the node's network ended with ${signal ?? code}`);
    });
    await Promise.race([once(child, 'message'), ended]).finally(() => server.close()); // it listens
    ended.catch(() => undefined);
    child.unref();
    child.channel?.unref();
    return new PortBridge(address.port, child);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.ref();
    this.#child.disconnect();
    await exited;
  }
}
