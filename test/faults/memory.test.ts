/** Memory that the manager holds for requests and Events, under a load of several days: in this process, where garbage can be collected. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HttpTransport, SystemClock } from 'controller-runtime';
import { discardLogger, Manager, PrometheusMetrics } from 'controller-runtime/internal';
import { expect, onTestFinished, test } from 'vitest';
import { cronJob } from '../support/cron-jobs.ts';

const MIB = 2 ** 20;

const REQUESTS = 30_000;
/** Requests until code is compiled and connections are open. */
const WARM_UP = 10_000;
const AT_ONCE = 32;
/** Size of each response. */
const ANSWER_BYTES = 2000;
/** Memory that an answered request may keep: less than its response, and more than the usual variation of a heap. */
const MAX_BYTES_PER_REQUEST = 200;

test(`${REQUESTS} answered requests keep no memory while their abort signal exists`, async () => {
  const data = { a: 'x'.repeat(ANSWER_BYTES) };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
  const transport = await createTransport((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const { signal } = new AbortController();
  const send = async (count: number) => {
    let left = count;
    const worker = async () => {
      while (left-- > 0) await transport.request({ method: 'GET', path: '/api/v1/configmaps', signal });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
  await send(WARM_UP);
  const before = usedBytes();
  await send(REQUESTS);
  const growthBytes = (usedBytes() - before) / REQUESTS;
  console.info(`after ${REQUESTS} requests: ${growthBytes.toFixed(0)} bytes more of each`);
  expect(growthBytes).toBeLessThan(MAX_BYTES_PER_REQUEST);
});

const EVENTS = 150_000;
const NAMESPACES = 100;
const MESSAGE_CHARACTERS = 900;
/**
 * At most 80 MiB of Events may wait, counted with two bytes per character, in addition to the state of objects. Without a limit these would
 * be 200 MiB.
 */
const MAX_MIB = 100;

test(`${EVENTS} unsent Events are kept up to a limit`, async () => {
  const transport = await createTransport(() => {}); // never answers
  const manager = new Manager({
    name: 'test',
    transport,
    clock: new SystemClock(),
    log: discardLogger,
    metrics: new PrometheusMetrics(),
  });
  const recorder = manager.recorderFor('test');
  onTestFinished(() => recorder.stop());
  const before = usedBytes();
  for (let index = 0; index < EVENTS; index++) {
    const object = cronJob({}, undefined, {
      namespace: `namespace-${index % NAMESPACES}`,
      name: `cron-job-${index}`,
      uid: `uid-${index}`,
    });
    recorder.event(object, 'Normal', 'SuccessfulCreate', randomBytes(MESSAGE_CHARACTERS / 2).toString('hex'));
    if (index % 1000 === 0) await new Promise(setImmediate);
  }
  const grown = (usedBytes() - before) / MIB;
  console.info(`${EVENTS} Events that no server takes: ${grown.toFixed(0)} MiB`);
  expect(grown).toBeLessThan(MAX_MIB);
});

/** A transport to a server in this process, until the end of the test. */
async function createTransport(listener: RequestListener): Promise<HttpTransport> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a string only for pipes
  const credentials = { server: new URL(`http://127.0.0.1:${port}`), tls: {}, headers: {} };
  const source = { current: () => credentials, refresh() {} };
  const transport = new HttpTransport({ credentials: source, clock: new SystemClock(), userAgent: 'test' });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return transport;
}

/** Heap size after a full garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
