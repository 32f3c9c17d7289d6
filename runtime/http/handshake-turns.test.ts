import { once } from 'node:events';
import { request } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { discardLogger } from '../log/logger.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { HandshakeTurns } from './handshake-turns.ts';
import { HttpServer, sendText } from './http-server.ts';

/** As many as begin in one turn of the event loop. */
const A_TURN = 16;

/** A connection from `remoteAddress` whose bytes come when the test writes them, and in no other turn. */
class Connection extends PassThrough {
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  setTimeout(): this {
    return this;
  }
}

/** `begun` are the addresses of those who began a handshake, in that order. */
function setUp() {
  const begun: string[] = [];
  const server = createServer(({ remoteAddress }) => void begun.push(`${remoteAddress}`));
  new HandshakeTurns(server, 1_000);
  const open = (remoteAddress: string) => {
    const connection = new Connection(remoteAddress);
    server.emit('connection', connection);
    return connection;
  };
  return { begun, open };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('few handshakes begin in one turn, however many come at once', async () => {
  const { begun, open } = setUp();
  for (let index = 0; index < 5 * A_TURN; index++) open('a').write('hello');
  const begunBy: number[] = [];
  while (begun.length < 5 * A_TURN) {
    await turn();
    begunBy.push(begun.length);
  }
  const steps = begunBy.map((count, index) => count - (begunBy[index - 1] ?? 0)).filter((step) => step > 0);
  expect(steps).toEqual(Array(5).fill(A_TURN));
});

test('addresses take turns: who comes last from another one does not wait for all of the first', async () => {
  const { begun, open } = setUp();
  for (let index = 0; index < 5 * A_TURN; index++) open('a').write('hello');
  for (const address of ['b', 'c']) open(address).write('hello');
  await eventually(() => expect(begun).toHaveLength(5 * A_TURN + 2));
  expect(begun.slice(0, 4)).toEqual(['a', 'b', 'c', 'a']);
});

test('who comes last to a queue of the kernel does not wait for the handshakes of all before', async () => {
  const begun: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => begun.push(socket.remoteAddress)).listen(0, '127.0.0.1');
  new HandshakeTurns(server, 1_000);
  server.on('connection', (socket) => sockets.push(socket));
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const localAddress of [...Array<string>(300).fill('127.0.0.2'), '127.0.0.3']) {
    sockets.push(connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {}));
    sockets.at(-1)?.write('hello');
  }
  await eventually(() => expect(begun).toHaveLength(301));
  expect(begun.indexOf('127.0.0.3')).toBeLessThan(150);
});

test('who sends nothing, and who is closed while it waits, takes no turn', async () => {
  const { begun, open } = setUp();
  const silent = open('a');
  const closed = open('b');
  closed.write('hello');
  closed.destroy();
  const ended = open('c').end();
  open('d').write('hello');
  await eventually(() => expect(begun).toEqual(['d']));
  await eventually(() => expect(ended.destroyed).toBe(true));
  silent.write('hello');
  await eventually(() => expect(begun).toEqual(['d', 'a']));
});

async function serveHttps(headersTimeoutMs: number) {
  const clock = new FakeClock();
  const server = new HttpServer({
    name: 'test',
    address: { kind: 'listen', host: '127.0.0.1', port: 0 },
    handler: (_, response) => sendText(response, 200, 'hello'),
    keyPair: { load: async () => selfSignedCertificate('turns') },
    clock,
    log: discardLogger,
    headersTimeoutMs,
    requestTimeoutMs: headersTimeoutMs,
  });
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  const stop = () => {
    stopping.abort();
    return stopped;
  };
  onTestFinished(stop);
  const { port } = await server.listening;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket.resume();
  };
  return { port, clock, open, stop };
}

test.each([
  ['nothing', ''],
  ['the beginning of a handshake', '\x16\x03\x01\x02\x00\x01'],
])('of an HTTPS server, who sends %s for too long is closed', async (_, sent) => {
  const { open } = await serveHttps(20);
  const socket = await open();
  socket.write(sent);
  await eventually(() => expect(socket.closed).toBe(true));
});

test('an HTTPS server outlives clients that break off, and answers those that finish', async () => {
  const { port, open } = await serveHttps(30_000);
  (await open()).end();
  (await open()).resetAndDestroy();
  const broken = await open();
  broken.write('\x16\x03');
  broken.resetAndDestroy();
  (await open()).write('GET / HTTP/1.1\r\n\r\n');
  const asked = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }).end();
  const [response] = await once(asked, 'response');
  expect(response.statusCode).toBe(200);
  response.resume();
});

test('an HTTPS server that is stopped waits for nobody before or in a handshake for longer than it may', async () => {
  const { clock, open, stop } = await serveHttps(600_000);
  const silent = await open();
  const begun = await open();
  begun.write('\x16\x03\x01\x02\x00\x01');
  const stopped = stop();
  await eventually(() => clock.advance(5_000).then(() => expect([silent.closed, begun.closed]).toEqual([true, true])));
  await stopped;
});
