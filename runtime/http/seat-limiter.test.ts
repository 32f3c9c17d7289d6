import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve as serveHttp } from '../test-support/http-harness.ts';
import { eventually } from '../testing/eventually.ts';
import { type HttpServerOptions, sendText } from './http-server.ts';

/** Starts a server and connects clients to it. */
async function serve(options: Partial<HttpServerOptions> = {}) {
  const { server, port, url } = await serveHttp(options);
  const open = async (sent = '', localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    if (sent !== '') socket.write(sent);
    socket.resume();
    return socket;
  };
  return { server, open, url };
}

/** More bytes than the kernel buffers for a client that does not read. */
const LARGE = Buffer.alloc(7 * 1024 * 1024, 'a');
const LARGE_SEATS = LARGE.length / (64 * 1024);
const ASK_FOR_LARGE = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n';

/** Starts a server that also sends large responses. `sockets` are the sockets of the server for these responses. */
async function serveLarge(options: Partial<HttpServerOptions> = {}) {
  const sockets: Socket[] = [];
  const handler: HttpServerOptions['handler'] = (request, response) => {
    if (request.url !== '/large') return sendText(response, 200, 'hello');
    sockets.push(request.socket);
    response.end(LARGE);
  };
  const served = await serve({ handler, ...options });
  const neverRead = async () => {
    const socket = (await served.open(ASK_FOR_LARGE)).pause();
    const count = sockets.length;
    await eventually(() => expect(sockets.length).toBeGreaterThan(count));
    return socket;
  };
  return { ...served, asked: sockets, neverRead };
}

const closed = (socket: Socket) => eventually(() => expect(socket.closed).toBe(true));
const HALF_OF_HEADERS = 'GET / HTTP/1.1\r\nhost: a\r\n';

test('a client that holds all connections open does not lock out others: its longest idle connection is closed', async () => {
  const { open, url } = await serve({ maxSeats: 3 });
  const connections = [await open(), await open(HALF_OF_HEADERS), await open()];
  expect((await fetch(url)).status).toBe(200);
  await closed(connections[0]!);
  expect(connections.map(({ closed }) => closed)).toEqual([true, false, false]);
});

const ASK = `${HALF_OF_HEADERS}\r\n`;

test('closes a connection after others that have been idle for longer', async () => {
  const { open } = await serve({ maxSeats: 2 });
  const [asks, silent] = [await open(), await open()];
  asks.write(ASK);
  await once(asks, 'data');
  const another = await open();
  await closed(silent);
  expect([asks, another].map(({ closed }) => closed)).toEqual([false, false]);
});

test('the address with the most connections loses one to an address with fewer', async () => {
  const { open } = await serve({ maxSeats: 4 });
  const few = await open('', '127.0.0.3');
  const many = [await open(), await open(), await open()];
  const first = await open('', '127.0.0.2');
  await closed(many[0]!);
  expect([few, many[1], many[2], first].map((socket) => socket?.closed)).toEqual([false, false, false, false]);
});

test('the address with the most connections displaces no connection of others, however old', async () => {
  const { open } = await serve({ maxSeats: 3 });
  const few = await open('', '127.0.0.2');
  const many = [await open(), await open()];
  const another = await open();
  await closed(many[0]!);
  expect([few, many[1], another].map((socket) => socket?.closed)).toEqual([false, false, false]);
});

test('does not close a connection with a request for another', async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { open, url } = await serve({
    maxSeats: 1,
    handler: async (_, response) => {
      asked.resolve();
      await answer.promise;
      sendText(response, 200, 'late');
    },
  });
  const busy = await open(`${HALF_OF_HEADERS}\r\n`);
  await asked.promise;
  const refused = await open();
  await closed(refused);
  expect(busy.closed).toBe(false);
  const received = once(busy, 'data');
  answer.resolve();
  expect(String(await received)).toContain('late');
  // The limiter may close the connection, because it is idle again.
  expect((await fetch(url)).status).toBe(200);
  await closed(busy);
});

test('accepts more connections in one turn than the default backlog, without retries', async () => {
  const { url } = await serve({ maxSeats: 1_000 });
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
])('closes a client that takes too long for %s', async (_, limits, sent) => {
  const { open } = await serve({ ...limits, handler: () => {} });
  await closed(await open(sent));
});

test('a client that never reads responses does not lock out others: its oldest connection is closed', async () => {
  const { asked, neverRead, url } = await serveLarge({ maxSeats: 3 * LARGE_SEATS });
  for (let count = 0; count < 3; count++) await neverRead();
  expect(await (await fetch(url)).text()).toBe('hello');
  expect(asked.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
});

test('closes a client that does not read the response in time', async () => {
  const { asked, neverRead } = await serveLarge({ requestTimeoutMs: 20 });
  await neverRead();
  await eventually(() => expect(asked[0]?.destroyed).toBe(true));
});

test('limits unread responses in total: drops the oldest and sends a new one completely', async () => {
  const { server, asked, neverRead, url } = await serveLarge();
  for (let count = 0; count < 8; count++) await neverRead();
  expect(server.seats).toBeGreaterThan(3 * LARGE_SEATS);
  expect(server.seats).toBeLessThanOrEqual(512 + LARGE_SEATS);
  expect(asked.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true, false, false, false, false]);
  expect((await (await fetch(`${url}large`)).bytes()).length).toBe(LARGE.length);
});

describe('a body', () => {
  /**
   * Starts a server with 16 seats that reserves the size of each body, and responds when the test requests it.
   */
  async function serveBodies() {
    const answer = Promise.withResolvers<void>();
    const [taken, whole]: [boolean[], string[]] = [[], []];
    const served = await serve({
      maxSeats: 16,
      handler: async (request, response) => {
        const isTaken = served.server.reserve(request, Number(request.headers['content-length']));
        taken.push(isTaken);
        if (isTaken) await once(request.resume(), 'end');
        whole.push(`${request.headers['content-length']}`);
        if (isTaken) await answer.promise;
        sendText(response, isTaken ? 200 : 429, 'answer');
      },
    });
    const send = async (seats: number, { isWhole, from }: { isWhole: boolean; from?: string }) => {
      const bytes = seats * 64 * 1024;
      const socket = await served.open(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`, from);
      if (isWhole) socket.write(Buffer.alloc(bytes));
      const count = taken.length;
      await eventually(() => expect(taken.length).toBeGreaterThan(count));
      return socket;
    };
    return { ...served, taken, whole, send, answer };
  }

  test('takes seats by its size until its response', async () => {
    const { server, send, answer } = await serveBodies();
    const socket = await send(8, { isWhole: true });
    expect(server.seats).toBe(8);
    const received = once(socket, 'data');
    answer.resolve();
    expect(String(await received)).toContain('200 OK');
    await eventually(() => expect(server.seats).toBe(1));
  });

  test('that is sent slowly loses its seats to later ones', async () => {
    const { send, taken } = await serveBodies();
    const slow = [await send(5, { isWhole: false }), await send(5, { isWhole: false })];
    const later = await send(10, { isWhole: false });
    await closed(slow[0]!);
    expect([slow[1], later].map((socket) => socket?.closed)).toEqual([false, false]);
    expect(taken).toEqual([true, true, true]);
  });

  test('that is complete keeps its seats: a large later one is rejected, and a small one still gets a seat', async () => {
    const { open, send, taken, whole } = await serveBodies();
    const first = await send(10, { isWhole: true });
    await eventually(() => expect(whole).toHaveLength(1));
    await send(3, { isWhole: false, from: '127.0.0.2' });
    const small = await send(1, { isWhole: true, from: '127.0.0.2' });
    expect(taken).toEqual([true, false, true]);
    expect([first, small, await open()].map(({ closed }) => closed)).toEqual([false, false, false]);
  });
});

describe('a request before the last response is known to be sent', () => {
  const ASKED_ONCE = `${HALF_OF_HEADERS}\r\n`;

  /** Starts a server that counts requests, and responds at once or never. */
  async function serveAndCount(answersAtOnce: boolean) {
    const counted = { handled: 0 };
    const handler: HttpServerOptions['handler'] = (_, response) => {
      counted.handled++;
      if (answersAtOnce) sendText(response, 200, 'hello');
    };
    return { counted, ...(await serve({ handler })) };
  }

  test('is served when that response is complete: the client may have read it', async () => {
    const { counted, open } = await serveAndCount(true);
    const client = await open(ASKED_ONCE.repeat(2));
    const received: string[] = [];
    client.on('data', (data) => received.push(String(data)));
    await eventually(() => expect(received.join('').match(/hello/g)).toHaveLength(2));
    expect(counted.handled).toBe(2);
    expect(client.closed).toBe(false);
  });

  test('closes the connection when two responses are unread', async () => {
    const { counted, open } = await serveAndCount(true);
    await closed(await open(ASKED_ONCE.repeat(3)));
    expect(counted.handled).toBe(2);
  });

  test('closes the connection when there is no response yet', async () => {
    const { counted, open } = await serveAndCount(false);
    await closed(await open(ASKED_ONCE.repeat(2)));
    expect(counted.handled).toBe(1);
  });
});
