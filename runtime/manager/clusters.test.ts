/** Controllers of several clusters in one manager. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CredentialsSource } from '../client/transport.ts';
import { aborted } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { Website } from '../examples/website/website.ts';
import { core } from '../kubernetes/core.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { Kind } from '../schema/kind.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { startTestManager } from '../testing/test-manager.ts';
import type { Cluster, ClusterProvider, ClusterRegistry } from './clusters.ts';
import { Manager, type ManagerConstructorOptions } from './manager.ts';

const key = { namespace: 'default', name: 'a' };
const MORE_THAN_DEFAULT_REQUESTS = 80;

function credentialsOf(server: FakeApiServer): CredentialsSource {
  return { current: () => ({ server: server.url, tls: {}, headers: {} }), refresh() {} };
}

/** A provider that the test controls. */
class TestProvider implements ClusterProvider {
  clusters: ClusterRegistry | undefined;

  async run(clusters: ClusterRegistry, signal: AbortSignal): Promise<void> {
    this.clusters = clusters;
    await aborted(signal);
  }
}

interface SceneOptions extends Partial<ManagerConstructorOptions> {
  readonly log?: RecordingLogger;
  /** Adds further controllers to each cluster. */
  readonly addControllers?: (cluster: Cluster) => void;
}

/** A manager whose controller runs in each cluster, and writes the name of the cluster to `spec.color`. */
async function start({ log = new RecordingLogger(), addControllers, ...options }: SceneOptions = {}) {
  const hub = await FakeApiServer.start();
  const provider = new TestProvider();
  const signals = new Map<string, AbortSignal>();
  const setUp = (cluster: Cluster) => {
    if (cluster.cluster === 'broken') throw new Error('no controllers for this cluster');
    cluster
      .controller('widget')
      .for<Widget>(widgets)
      .reconcile(async (object, { client, cluster: name = '', signal }) => {
        signals.set(name, signal);
        if (object.spec.color === name) return;
        await client.patch(widgets, object.metadata as typeof key & Widget['metadata'], {
          kind: 'merge',
          body: { spec: { color: name } },
        });
      });
    addControllers?.(cluster);
  };
  const { clock = new SystemClock() } = options;
  const transport = hub.connect({ clock });
  const manager = new Manager({ name: 'test', transport, clock, log, metrics: new PrometheusMetrics(), ...options });
  manager.addClusters(provider, setUp);
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  await eventually(() => expect(provider.clusters).toBeDefined());
  const stop = async () => {
    stopping.abort();
    await ended;
    await hub.close();
  };
  return { clusters: provider.clusters!, signals, log, stop, [Symbol.asyncDispose]: stop };
}

async function startCluster(): Promise<FakeApiServer> {
  const server = await FakeApiServer.start();
  server.put(widgets, { metadata: key, spec: { color: 'red' } });
  return server;
}

test('runs the controllers in each cluster that the provider adds, until it removes the cluster', async () => {
  await using eu = await startCluster();
  await using us = await startCluster();
  await using scene = await start();
  const { clusters } = scene;
  clusters.add('eu', credentialsOf(eu));
  await eventually(() => expect(eu.get(widgets, key)?.spec.color).toBe('eu'));
  expect(() => clusters.add('eu', credentialsOf(us))).toThrow('cluster eu exists already');
  clusters.add('us', credentialsOf(us));
  await eventually(() => expect(us.get(widgets, key)?.spec.color).toBe('us'));
  clusters.remove('eu');
  expect(scene.signals.get('eu')?.aborted).toBe(true);
  await eu.until(({ openConnections }) => openConnections === 0);
  expect(scene.signals.get('us')?.aborted).toBe(false);
  us.put(widgets, { metadata: key, spec: { color: 'green' } });
  await eventually(() => expect(us.get(widgets, key)?.spec.color).toBe('us'));
  eu.put(widgets, { metadata: key, spec: { color: 'green' } });
  clusters.add('eu', credentialsOf(eu));
  await eventually(() => expect(eu.get(widgets, key)?.spec.color).toBe('eu'));
  await scene.stop();
  expect(us.openConnections).toBe(0);
});

test('a cluster that fails or does not answer does not affect the others', async () => {
  await using eu = await startCluster();
  await using silent = await startCluster();
  await silent.goDown();
  await using scene = await start();
  scene.clusters.add('broken', credentialsOf(eu));
  scene.clusters.add('silent', credentialsOf(silent));
  scene.clusters.add('eu', credentialsOf(eu));
  await eventually(() => expect(eu.get(widgets, key)?.spec.color).toBe('eu'));
  const failure = scene.log.records.find(({ message }) => message === 'cluster failed');
  expect(failure).toMatchObject({
    fields: { cluster: 'broken' },
    error: { message: 'no controllers for this cluster' },
  });
});

describe('the options of the manager also apply to its clusters:', () => {
  test.each([
    { option: 'names', namespaces: ['default'] },
    { option: 'a label selector', namespaces: { labelSelector: 'team=a' } },
  ])('namespaces, with $option', async ({ namespaces }) => {
    await using eu = await startCluster();
    eu.put(core.v1.namespaces, { metadata: { name: 'default', labels: { team: 'a' } } });
    await using scene = await start({ namespaces });
    scene.clusters.add('eu', credentialsOf(eu));
    await eventually(() => expect(eu.get(widgets, key)?.spec.color).toBe('eu'));
    const requests = eu.requests.filter(({ plural }) => plural === widgets.plural);
    expect(new Set(requests.map(({ namespace }) => namespace))).toEqual(new Set(['default']));
  });

  test('cacheSyncTimeoutMs, after which a cluster logs an error and continues to wait', async () => {
    await using eu = await startCluster();
    eu.fail({ resource: widgets }, { kind: 'error', code: 404 }, Number.POSITIVE_INFINITY);
    const clock = new FakeClock();
    await using scene = await start({ clock, cacheSyncTimeoutMs: 120_000 });
    scene.clusters.add('eu', credentialsOf(eu));
    await eu.until(() => eu.count({ resource: widgets }) > 0);
    await clock.advance(120_000);
    expect(scene.log.errors).toContainEqual(
      expect.objectContaining({
        message: 'cluster has not synced in time, still waiting',
        fields: { cluster: 'eu' },
        error: new Error('caches have not synced within 120000 ms: informer of widgets has not synced'),
      }),
    );
    eu.clearFaults();
    await eventually(async () => {
      await clock.advance(10_000); // the watch retries after its back-off
      expect(eu.get(widgets, key)?.spec.color).toBe('eu');
    });
  });

  test('maxInFlightRequests', async () => {
    await using eu = await FakeApiServer.start();
    for (let number = 1; number <= MORE_THAN_DEFAULT_REQUESTS; number++)
      eu.put(widgets, { metadata: { namespace: `n${number}`, name: 'a' }, spec: { color: 'red' } });
    const end = Promise.withResolvers<void>();
    eu.fail({ verb: 'patch' }, { kind: 'hold', until: end.promise }, MORE_THAN_DEFAULT_REQUESTS);
    const controllers = { maxConcurrentReconciles: 4 * MORE_THAN_DEFAULT_REQUESTS };
    await using scene = await start({ maxInFlightRequests: 4 * MORE_THAN_DEFAULT_REQUESTS, controllers });
    scene.clusters.add('eu', credentialsOf(eu));
    await eu.until(() => eu.count({ verb: 'patch' }) === MORE_THAN_DEFAULT_REQUESTS);
    end.resolve();
  });
});

test('a cluster refuses two controllers with one name', async () => {
  await using eu = await startCluster();
  await using scene = await start({ addControllers: (cluster) => void cluster.controller('widget') });
  scene.clusters.add('eu', credentialsOf(eu));
  await eventually(() => expect(scene.log.errors).toHaveLength(1));
  expect(scene.log.errors).toMatchObject([
    { message: 'cluster failed', error: { message: expect.stringContaining('a controller widget exists already') } },
  ]);
});

/** Imports the example in docs/reconciling.md as a function. */
async function importExample(folder: string, clusterFolder: string): Promise<(manager: Manager, kind: Kind) => void> {
  const page = readFileSync(resolve('runtime/docs/reconciling.md'), 'utf8');
  const [, code = ''] = /^## Several clusters$.*?^```ts fragment\n(.*?)^```$/ms.exec(page) ?? [];
  const lines = code.replace("'/etc/clusters'", JSON.stringify(clusterFolder)).replace('10_000', '50').split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  const body = lines.filter((line) => !isImport(line)).join('\n');
  const file = join(folder, 'example.ts');
  const imports = [...lines.filter(isImport), "import type { Kind, Manager } from 'controller-runtime';"].join('\n');
  writeFileSync(file, `${imports}\nexport default (manager: Manager, Website: Kind) => {\n${body}\n};\n`);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('runtime'), join(folder, 'node_modules/controller-runtime'));
  return (await import(file)).default;
}

test('the example in the documentation reconciles in the cluster of each kubeconfig in a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clusters-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clusterFolder = join(folder, 'clusters');
  mkdirSync(clusterFolder);
  const addExample = await importExample(folder, clusterFolder);
  await using hub = await FakeApiServer.start();
  await using eu = await FakeApiServer.start();
  const website = { metadata: key, spec: { image: 'nginx', replicas: 3 } };
  eu.put(Website, website);
  const log = new RecordingLogger();
  await using running = await startTestManager({ cluster: hub, log, setUp: (manager) => addExample(manager, Website) });
  writeFileSync(join(clusterFolder, 'broken'), 'not a kubeconfig');
  writeFileSync(join(clusterFolder, 'eu'), eu.kubeconfig);
  const firstReconcile = () => log.records.find(({ message }) => message === 'reconciling');
  await eventually(() => expect(firstReconcile()).toMatchObject({ fields: { cluster: 'eu', replicas: 3 } }));
  rmSync(join(clusterFolder, 'eu'));
  await eu.until(({ openConnections }) => openConnections === 0);
  await running.stop();
});
