import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { discardLogger } from '../log/logger.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { HttpServer, type HttpServerOptions, sendText } from './http-server.ts';

async function serve(options: Partial<HttpServerOptions> = {}) {
  const clock = new FakeClock();
  const server = new HttpServer({
    name: 'test',
    address: { kind: 'listen', host: '127.0.0.1', port: 0 },
    handler: (_, response) => sendText(response, 200, 'hello'),
    clock,
    log: discardLogger,
    ...options,
  });
  const stop = new AbortController();
  const stopped = server.start(stop.signal);
  const { port } = await server.listening;
  const open = async (sent = '', localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    if (sent !== '') socket.write(sent);
    socket.resume();
    return socket;
  };
  onTestFinished(async () => {
    stop.abort();
    await stopped;
  });
  return { server, open, clock, url: `http://127.0.0.1:${port}/` };
}

/** More than the kernel takes for a client that does not read. */
const LARGE = Buffer.alloc(7 * 1024 * 1024, 'a');
const ASK_FOR_LARGE = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n';

/** A server with large answers, too; `asked` are its ends of the connections that want one. */
async function serveLarge(options: Partial<HttpServerOptions> = {}) {
  const asked: Socket[] = [];
  const handler: HttpServerOptions['handler'] = (request, response) => {
    if (request.url !== '/large') return sendText(response, 200, 'hello');
    asked.push(request.socket);
    response.end(LARGE);
  };
  const served = await serve({ handler, ...options });
  const neverRead = async () => {
    const socket = (await served.open(ASK_FOR_LARGE)).pause();
    const count = asked.length;
    await eventually(() => expect(asked.length).toBeGreaterThan(count));
    return socket;
  };
  return { ...served, asked, neverRead };
}

const closed = (socket: Socket) => eventually(() => expect(socket.closed).toBe(true));
const HALF_OF_HEADERS = 'GET / HTTP/1.1\r\nhost: a\r\n';

test('who holds all connections open keeps nobody out: the oldest without a request is closed', async () => {
  const { open, clock, url } = await serve({ maxConnections: 3 });
  const held = [await open(), await open(HALF_OF_HEADERS), await open()];
  await clock.advance(1_000);
  expect((await fetch(url)).status).toBe(200);
  await closed(held[0]!);
  expect(held.map(({ closed }) => closed)).toEqual([true, false, false]);
});

const ASK = `${HALF_OF_HEADERS}\r\n`;

/** A connection that had its answer, and is kept. */
async function asked(open: (sent: string) => Promise<Socket>): Promise<Socket> {
  const socket = await open(ASK);
  await once(socket, 'data');
  return socket;
}

test('when all are young, one that never asked for anything makes room, and none that did', async () => {
  const { open } = await serve({ maxConnections: 3 });
  const kept = [await asked(open), await asked(open)];
  const silent = await open();
  const another = await open();
  await closed(silent);
  expect([...kept, another].map(({ closed }) => closed)).toEqual([false, false, false]);
});

test('when all are young and have asked for something, they are left to ask again for a second', async () => {
  const { open, clock } = await serve({ maxConnections: 2 });
  const young = [await asked(open), await asked(open)];
  await clock.advance(999);
  await closed(await open());
  expect(young.map(({ closed }) => closed)).toEqual([false, false]);
});

test('the address with the most connections makes room for one with fewer, however young they are', async () => {
  const { open } = await serve({ maxConnections: 4 });
  const few = await open('', '127.0.0.3');
  const many = [await open(), await open(), await open()];
  const first = await open('', '127.0.0.2');
  await closed(many[0]!);
  expect([few, many[1], many[2], first].map((socket) => socket?.closed)).toEqual([false, false, false, false]);
});

test('the address with the most connections closes none of those who have fewer, however old they are', async () => {
  const { open, clock } = await serve({ maxConnections: 3 });
  const few = await open('', '127.0.0.2');
  const many = [await open(), await open()];
  await clock.advance(1_000);
  const another = await open();
  await closed(many[0]!);
  expect([few, many[1], another].map((socket) => socket?.closed)).toEqual([false, false, false]);
});

test('a connection with a request is not closed for another', async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { open, clock, url } = await serve({
    maxConnections: 1,
    handler: async (_, response) => {
      asked.resolve();
      await answer.promise;
      sendText(response, 200, 'late');
    },
  });
  const busy = await open(`${HALF_OF_HEADERS}\r\n`);
  await asked.promise;
  await clock.advance(1_000);
  const refused = await open();
  await closed(refused);
  expect(busy.closed).toBe(false);
  const told = once(busy, 'data');
  answer.resolve();
  expect(String(await told)).toContain('late');
  // Idle again, it makes room.
  await eventually(async () => {
    await clock.advance(1_000);
    expect((await fetch(url)).status).toBe(200);
  });
  await closed(busy);
});

test('more connections than the kernel keeps by default are accepted in one turn, none is tried again', async () => {
  const { url } = await serve({ maxConnections: 1_000 });
  const port = Number(new URL(url).port);
  let connected = 0;
  const many = Array.from({ length: 800 }, () => connect(port, '127.0.0.1').on('connect', () => connected++));
  onTestFinished(() => {
    for (const socket of many) socket.destroy();
  });
  await once(many[0]!, 'connect');
  for (let count = 0; count < 3; count++) expect((await fetch(url)).status).toBe(200);
  expect(connected).toBe(800);
});

test.each([
  ['its headers', { headersTimeoutMs: 20 }, HALF_OF_HEADERS],
  ['its body', { requestTimeoutMs: 20 }, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nslow'],
])('who takes too long for %s is closed', async (_, limits, sent) => {
  const { open } = await serve({ ...limits, handler: () => {} });
  await closed(await open(sent));
});

test('who never reads the answers keeps nobody out, and the oldest of them is closed', async () => {
  const { asked, neverRead, clock, url } = await serveLarge({ maxConnections: 2 });
  await neverRead();
  await neverRead();
  await clock.advance(1_000);
  expect(await (await fetch(url)).text()).toBe('hello');
  expect(asked.map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

test('who does not read the answer for too long is closed', async () => {
  const { asked, neverRead } = await serveLarge({ requestTimeoutMs: 20 });
  await neverRead();
  await eventually(() => expect(asked[0]?.destroyed).toBe(true));
});

test('answers that nobody reads are bounded together: the oldest is given up, a new one is sent as a whole', async () => {
  const { server, asked, neverRead, url } = await serveLarge();
  for (let count = 0; count < 8; count++) await neverRead();
  expect(server.unreadBytes).toBeGreaterThan(LARGE.length);
  expect(server.unreadBytes).toBeLessThanOrEqual(16 * 1024 * 1024 + LARGE.length);
  expect(asked.slice(0, 4).map(({ destroyed }) => destroyed)).toEqual(Array(4).fill(true));
  expect((await (await fetch(`${url}large`)).bytes()).length).toBe(LARGE.length);
});

describe('a request that comes before the last answer is known to have gone out', () => {
  const ASKED_ONCE = `${HALF_OF_HEADERS}\r\n`;

  /** A server that counts what it handles, and answers at once or never. */
  async function counting(answersAtOnce: boolean) {
    const counted = { handled: 0 };
    const handler: HttpServerOptions['handler'] = (_, response) => {
      counted.handled++;
      if (answersAtOnce) sendText(response, 200, 'hello');
    };
    return { counted, ...(await serve({ handler })) };
  }

  test('is answered when that is complete: the client may have read it', async () => {
    const { counted, open } = await counting(true);
    const client = await open(ASKED_ONCE.repeat(2));
    const received: string[] = [];
    client.on('data', (data) => received.push(String(data)));
    await eventually(() => expect(received.join('').match(/hello/g)).toHaveLength(2));
    expect(counted.handled).toBe(2);
    expect(client.closed).toBe(false);
  });

  test('closes the connection when there are two, which no client has read', async () => {
    const { counted, open } = await counting(true);
    await closed(await open(ASKED_ONCE.repeat(3)));
    expect(counted.handled).toBe(2);
  });

  test('closes the connection when there is no answer yet', async () => {
    const { counted, open } = await counting(false);
    await closed(await open(ASKED_ONCE.repeat(2)));
    expect(counted.handled).toBe(1);
  });
});
