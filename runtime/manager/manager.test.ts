import { expect, test } from 'vitest';
import { leases } from '../../test/support/leases.ts';
import { HttpTransport, type Transport } from '../client/transport.ts';
import { discardLogger } from '../log/logger.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { widget, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Manager } from './manager.ts';

const RETRY_PERIOD_MS = 2_000;
const key = { namespace: 'system', name: 'cronjob' };

/** A manager with leader election. */
class ManagerHarness implements AsyncDisposable {
  readonly clock = new FakeClock('2030-01-01T00:00:00Z');
  readonly manager: Manager;
  readonly running: Promise<void>;
  /** The answers to the election's requests, including errors, such as `PUT`. */
  readonly answered: string[] = [];
  readonly #server: FakeApiServer;
  readonly #transports: readonly HttpTransport[];
  readonly #stop = new AbortController();

  constructor(server: FakeApiServer, maxInFlight: number) {
    this.#server = server;
    const { clock } = this;
    const credentials = { current: async () => ({ server: server.url, tls: {}, headers: {} }), refresh() {} };
    const transport = new HttpTransport({ userAgent: 'tester', credentials, clock, maxInFlight });
    const leaseTransport = new HttpTransport({ userAgent: 'tester', credentials, clock, maxInFlight: 1 });
    this.#transports = [transport, leaseTransport];
    this.manager = new Manager({
      name: 'tester',
      transport,
      clock,
      log: discardLogger,
      metrics: new PrometheusMetrics(),
      leaderElection: { ...key, transport: this.#noting(leaseTransport) },
    });
    this.running = this.manager.start(this.#stop.signal);
    this.running.catch(() => undefined); // callers may await it
  }

  /** Lets the next attempt start, and resolves when it has received these answers. */
  async renews(...answers: readonly string[]): Promise<void> {
    const before = this.answered.length;
    await this.clock.advance(RETRY_PERIOD_MS);
    await eventually(() => expect(this.answered.slice(before)).toEqual(answers));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#transports.map((transport) => transport.close()));
    await this.#server.close();
  }

  #noting(transport: HttpTransport): Transport {
    return {
      request: async (request) => {
        try {
          return await transport.request(request);
        } finally {
          this.answered.push(request.method);
        }
      },
      stream: (request) => transport.stream(request),
    };
  }
}

test('renews its lease on time while every request of its controllers hangs', async () => {
  const server = await FakeApiServer.start();
  await using scene = new ManagerHarness(server, 4);
  await eventually(() => expect(scene.answered).toEqual(['GET', 'POST']));
  const enough = new AbortController();
  for (let number = 1; number <= 40; number++) {
    server.fail({ plural: 'widgets' }, { kind: 'hold', until: new Promise(() => {}) });
    const options = { priority: 'urgent', signal: enough.signal } as const;
    scene.manager.client.create(widgets, widget({ name: `hangs-${number}` }), options).catch(() => undefined);
  }
  await server.until(() => server.count({ plural: 'widgets' }) > 0);
  for (let count = 1; count <= 6; count++) await scene.renews('PUT');
  const writes = server.requests.filter(({ query }) => query.has('fieldManager'));
  expect(new Set(writes.map(({ query }) => query.get('fieldManager'))), 'its name').toEqual(new Set(['tester']));
  const { metadata, spec } = server.get(leases, key)!;
  server.put(leases, { metadata: { ...metadata, labels: { touched: 'by-another-client' } }, spec: spec! });
  await scene.renews('PUT', 'GET', 'PUT');

  enough.abort();
  await scene.stop();
  expect(server.get(leases, key)?.spec, 'led until the end').toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
});
