/** Controllers of several clusters in one manager. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CredentialsSource } from '../client/transport.ts';
import { aborted } from '../clock/clock.ts';
import { Website } from '../examples/website/website.ts';
import type { Kind } from '../schema/kind.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { startTestManager } from '../testing/test-manager.ts';
import type { Cluster, ClusterProvider, ClusterRegistry } from './clusters.ts';
import type { Manager } from './manager.ts';

const key = { namespace: 'default', name: 'a' };

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

/** A manager whose controller runs in each cluster, and writes the name of the cluster to the status. */
async function start(log = new RecordingLogger()) {
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
  };
  const running = await startTestManager({
    cluster: hub,
    log,
    setUp: (manager) => manager.addClusters(provider, setUp),
  });
  await eventually(() => expect(provider.clusters).toBeDefined());
  const stop = async () => {
    await running.stop();
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
