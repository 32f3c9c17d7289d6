/** What a Pod in the cluster can do to the webhooks by sending requests. runtime/http/seat-limiter.test.ts tests each limit separately. */
import { connect, type TLSSocket } from 'node:tls';
import { namespacedResource } from 'controller-runtime';
import { createSelfSignedKeyPair, discardLogger, WebhookServer } from 'controller-runtime/internal';
import { admissionReview, eventually, FakeClock, postReview } from 'controller-runtime/testing';
import { expect, onTestFinished, test } from 'vitest';

const widgets = namespacedResource('example.com/v1', 'Widget');
const PATH = '/validate-example-com-v1-widget';
const MIB = 1024 * 1024;
/** The promises of docs/webhooks.md. */
const MAX_SEATS = 1_024;

async function startServer() {
  const server = new WebhookServer({
    address: { kind: 'listen', host: '127.0.0.1', port: 0 },
    keyPair: { load: () => createSelfSignedKeyPair(['127.0.0.1'], new Date()) },
    clock: new FakeClock(),
    log: discardLogger,
  });
  server.for(widgets, { validate: () => [] });
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  onTestFinished(() => {
    stopping.abort();
    return stopped;
  });
  return { server, port: await server.port };
}

/** Counts the occupied seats in every turn of the event loop, until the caller stops it. */
function watchSeats(server: WebhookServer) {
  const max = { seats: 0 };
  let isWatching = true;
  const measure = () => {
    max.seats = Math.max(max.seats, server.seats);
    if (isWatching) setImmediate(measure);
  };
  measure();
  onTestFinished(() => {
    isWatching = false;
  });
  return max;
}

/** Enough requests to fill the seats: each takes 48. */
const MAX_SLOW_SENDERS = 21;

/** Each announces 3 MiB and sends a few bytes. When most are closed, new ones follow. */
class SlowRequests {
  readonly #sockets = new Set<TLSSocket>();
  readonly #port: number;
  #isOver = false;
  opened = 0;

  constructor(port: number) {
    this.#port = port;
  }

  open(): void {
    this.opened++;
    const socket = connect({ port: this.#port, host: '127.0.0.1', rejectUnauthorized: false });
    this.#sockets.add(socket);
    socket.on('error', () => {}).resume();
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (!this.#isOver && this.openCount < MAX_SLOW_SENDERS) this.open();
    });
    const headers = `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${3 * MIB}`;
    socket.write(`${headers}\r\n\r\n{"request":`);
  }

  get openCount(): number {
    return this.#sockets.size;
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

const SLOW_COUNT = 260;
/** Each costs about 100 ms of CPU time. */
const COUNT_PER_BODY = 80;

test('answers good requests during 500 hostile ones, with bounded memory', async () => {
  const { server, port } = await startServer();
  const maxSeats = watchSeats(server);
  const hostile = {
    large: JSON.stringify(admissionReview()).padEnd(3 * MIB),
    deep: `{"request":${'[{"a":'.repeat(500_000)}`,
    faults: `{"request":{"object":{"spec":{"containers":[${'0,'.repeat(1_500_000)}0]}}}}`,
  };
  const slow = new SlowRequests(port);
  onTestFinished(() => slow.end());
  for (let index = 0; index < SLOW_COUNT; index++) slow.open();
  const outcomes = Object.values(hostile).flatMap((body) =>
    Array.from({ length: COUNT_PER_BODY }, () =>
      postReview({ port, path: PATH, body, headers: { 'content-length': body.length } }).then(
        ({ code }) => code,
        () => 'closed' as const,
      ),
    ),
  );
  for (let count = 0; count < 20; count++) {
    // The server may close a connection before its request has arrived; Go's client then opens another, and so does this one.
    const response = await eventually(() => postReview({ port, path: PATH, body: admissionReview() }));
    expect(response).toMatchObject({ code: 200, body: { response: { allowed: true } } });
    expect(slow.openCount).toBeGreaterThan(0);
  }
  const counts = Object.groupBy(await Promise.all(outcomes), (outcome) => outcome);
  expect(Object.keys(counts).filter((outcome) => !['200', '413', '429', 'closed'].includes(outcome))).toEqual([]);
  expect(slow.opened).toBeGreaterThanOrEqual(SLOW_COUNT);
  expect(maxSeats.seats).toBeGreaterThan(MAX_SEATS / 2);
  expect(maxSeats.seats).toBeLessThanOrEqual(MAX_SEATS);
  slow.end();
  await eventually(() => expect(server.seats).toBeLessThanOrEqual(1));
});
