/** The half of the bridge in the node's network; see port-bridge.ts. */
import { connect, Server, type Socket } from 'node:net';
import type { BridgeOrder } from './port-bridge.ts';

process.once('message', (order: BridgeOrder, server: unknown) => {
  if (!(server instanceof Server)) throw new Error('a listening socket must come with the message');
  server.on('connection', (socket) => join(socket, connect({ port: order.port, host: '127.0.0.1', noDelay: true })));
  process.send?.('listening');
});
process.once('disconnect', () => process.exit(0));

/** Closes each side when the other one is closed or fails. */
function join(left: Socket, right: Socket): void {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}
