import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { TcpRelay } from './tcp-relay.ts';

/** Port of a server that sends its name, then echoes its input. */
async function server(name: string): Promise<number> {
  const listening = createServer((socket) => {
    socket.write(`${name} heard `);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void listening.close());
  await once(listening, 'listening');
  return (listening.address() as AddressInfo).port; // a string only for pipes and Unix sockets
}

/** The response up to the echo, or up to the end of the connection. Rejects when the connection is reset. */
async function exchange(text: string, port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (received.endsWith(` ${text}`)) break;
  }
  return received;
}

test('passes data in both directions, to the current target', async () => {
  const ports = [await server('one'), await server('two')];
  await using relay = await TcpRelay.to(async () => ports.shift());
  expect(await exchange('a', relay.port)).toBe('one heard a');
  expect(await exchange('b', relay.port)).toBe('two heard b');
});

test('resets a connection without a target', async () => {
  await using relay = await TcpRelay.to(async () => undefined);
  await expect(exchange('hello', relay.port)).rejects.toThrow('ECONNRESET');
});

test('a cut connection ignores later data of the server', async () => {
  const accepted: Socket[] = [];
  const listening = createServer((socket) => {
    socket.on('error', () => socket.destroy()); // there is no other listener any more
    accepted.push(socket);
    socket.write('hello ');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void listening.close());
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo; // as above
  await using relay = await TcpRelay.to(port);

  const direct = connect(port, '127.0.0.1');
  await once(direct, 'data');
  const relayed = connect(relay.port, '127.0.0.1');
  const errors: unknown[] = [];
  relayed.on('error', (error) => errors.push(error));
  await once(relayed, 'data');
  // Both chunks are read in one turn of the event loop: the cut comes before the chunk for the relay.
  for (const socket of accepted) socket.write('and ');
  const ended = once(relayed, 'end');
  const cut = new Promise((resolve) => direct.once('data', () => resolve(relay.cut())));
  await cut;
  await ended;
  direct.destroy();
  expect(errors).toEqual([]);
});
