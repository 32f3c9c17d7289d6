/** An API server with random responses: objects that do not fit a schema, errors of proxies, bytes. A seed repeats them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { core } from 'controller-runtime/kubernetes';
import { storedObject } from 'controller-runtime/testing';
import { Random } from '../simulation/random.ts';
import { CoreWorld } from './core-world.ts';
import { at, buildJob, cronJob } from './cron-jobs.ts';

/** Values in unexpected places. */
// biome-ignore format: a table reads better in rows
const ODD: readonly unknown[] = [
  null, true, false, 0, -1, 5, 1.5, 1e300, -0, 2 ** 53,
  '', ' ', 'x', '\u001b[2J', '\u202egnp\u0000', '\ud800', '$(touch /tmp/x)', "'; rm -rf /", '../..', 'x'.repeat(100_000),
  '61 * * * *', '@every 1ns', '0 0 31 2 *', 'TZ=Nowhere 0 0 * * *', '* * * * *', '0 0 30 2 ?', 'Nowhere/Zone',
  '2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '0000-00-00T00:00:00Z', 'NaN', '1h', '-1s', '2026-01-01T00:30:00Z Failed x y',
  [], {}, [null], [[]], [{}], { a: null }, { metadata: null }, ['x', 5, null, {}], { length: 5 }, { toString: 5 },
  JSON.parse('{"__proto__":{"x":1},"constructor":1,"then":"x"}'),
];

// biome-ignore format: a table reads better in rows
const TEXTS = [
  '', ' ', 'null', '[]', '5', '"x"', '{', '{"kind":', 'true', '<html><title>Sign in</title></html>', '\u001b[2J', '\uFEFF{}',
];
const STATUSES = [
  200, 200, 200, 200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 404, 409, 410, 422, 429, 500, 502, 503,
];

const POD = storedObject(core.v1.pods, {
  metadata: { name: 'pod' },
  spec: { containers: [{ name: 'work', image: 'busybox' }], initContainers: [{ name: 'first', image: 'busybox' }] },
  status: {
    phase: 'Failed',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }],
    containerStatuses: [
      { name: 'work', restartCount: 1, state: { terminated: { exitCode: 1, reason: 'Error' } }, lastState: {} },
    ],
    initContainerStatuses: [{ name: 'first', restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } }],
  } as object,
});
const EVENT = { reason: 'FailedCreate', message: 'no', lastTimestamp: '2026-01-01T00:00:01Z', type: 'Warning' };

/** The status that the core writes for a CronJob with a failed run, an active run and a skipped time. */
function createBusyStatus() {
  const world = CoreWorld.afterFirstReconcile({
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: 60,
    expectSuccessWithinSeconds: 60,
  });
  world.reconcile(at('01:00:00'));
  world.finish(at('01:05:00'), 'Failed');
  world.reconcile(at('02:00:00'));
  world.reconcile(at('03:00:00'));
  world.reconcile(at('03:02:00'));
  return world.cronJob.status;
}
const STATUS = createBusyStatus();

function createObject(path: string): object {
  if (path.includes('/pods')) return POD;
  if (path.includes('/events')) return EVENT;
  if (path.includes('/jobs')) return buildJob('2026-01-01T00:00:00Z', { state: 'Failed' });
  if (path.includes('accessreviews')) return { kind: 'SelfSubjectAccessReview', status: { allowed: true } };
  return cronJob({}, STATUS);
}

const IS_LIST = /\/(pods|events|jobs|cronjobs|namespaces)$/;

export class HostileServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#respond(request, response));
  #random = new Random(0);
  #calls = 0;
  onCall: (calls: number) => void = () => {};

  static async start(): Promise<HostileServer> {
    const hostile = new HostileServer();
    await once(hostile.#server.listen(0, '127.0.0.1'), 'listening');
    return hostile;
  }

  get url(): string {
    // A string only for pipes and Unix sockets.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  seed(seed: number): void {
    this.#random = new Random(seed);
    this.#calls = 0;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const random = this.#random;
    this.onCall(++this.#calls);
    request.resume();
    const { pathname } = new URL(request.url ?? '', 'http://server');
    const status = random.chance(0.8) ? 200 : random.pick(STATUSES);
    if (random.chance(0.02)) return void request.socket.destroy();
    const body = random.chance(0.1) ? random.pick(TEXTS) : this.#objectFor(request.method ?? 'GET', pathname, status);
    const cut = random.chance(0.03) ? random.int(0, body.length) : body.length;
    response.writeHead(status, { 'content-type': random.pick(['application/json', 'text/html', '']) });
    response.end(status === 204 ? '' : body.slice(0, cut));
  }

  #objectFor(method: string, path: string, status: number): string {
    const random = this.#random;
    const object = structuredClone(createObject(path));
    if (status >= 400)
      return JSON.stringify(mutate({ kind: 'Status', reason: 'Odd', message: 'odd', details: {} }, random));
    if (path.endsWith('/log')) return random.pick(['', 'a\nb\n', '\u001b[2J\u0000', 'x'.repeat(200_000)]);
    if (method === 'GET' && IS_LIST.test(path)) {
      const items = Array.from({ length: random.int(0, 3) }, () => mutate(structuredClone(object), random));
      return JSON.stringify(mutate({ kind: 'List', metadata: { resourceVersion: '1' }, items }, random, 0.2));
    }
    return JSON.stringify(mutate(object, random));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The same value with parts changed, removed or of another type. */
export function mutate(value: unknown, random: Random, probability = 0.8): unknown {
  if (!random.chance(probability)) return value;
  let result = value;
  for (let count = random.int(1, 4); count > 0; count--) result = mutateOnce(result, random);
  return result;
}

function mutateOnce(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.05)) return random.pick(ODD);
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.05)) return random.pick(ODD);
  const [key, inner] = random.pick(entries);
  const isGone = random.chance(0.1);
  const changed = isGone ? undefined : mutateOnce(inner, random);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...value, [random.chance(0.05) ? '\u001b[31m' : key]: changed };
}
