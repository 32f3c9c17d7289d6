import { expect, test } from 'vitest';
import { coordination } from '../kubernetes/coordination.ts';
import { core } from '../kubernetes/core.ts';
import type { Manager } from '../manager/manager.ts';
import { job, jobs } from '../test-support/objects.ts';
import { eventually } from './eventually.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { FakeClock } from './fake-clock.ts';
import { RecordingLogger } from './recording-logger.ts';
import { startTestManager } from './test-manager.ts';

const key = { namespace: 'system', name: 'operator' };

test('runs controllers in its namespaces once it holds the lease', async () => {
  await using server = await FakeApiServer.start();
  const reconciled: string[] = [];
  for (const namespace of ['ours', 'others']) server.put(jobs, job('a', 1, namespace));
  await using running = await startTestManager({
    cluster: server,
    clock: new FakeClock('2026-01-01T00:00:00Z'),
    setUp: (manager) =>
      manager
        .controller('job')
        .for(jobs)
        .reconcile(async ({ metadata }) => void reconciled.push(metadata.namespace ?? '')),
    namespaces: ['ours'],
    leaderElection: key,
  });
  expect(server.get(coordination.v1.leases, key)).toMatchObject({ spec: { holderIdentity: expect.any(String) } });
  await eventually(() => expect(reconciled).toEqual(['ours']));
  await running.stop();
  await expect(running.ended).resolves.toBeUndefined();
  await server.until(({ openWatches }) => openWatches === 0);
});

test('rejects with the error that stopped it before its controllers ran', async () => {
  await using server = await FakeApiServer.start();
  const start = () => Promise.reject(new Error('the port is taken'));
  const setUp = (manager: Manager) => {
    manager.addServer({ start });
    manager
      .controller('job')
      .for(jobs)
      .reconcile(async () => undefined);
  };
  const started = startTestManager({ cluster: server, setUp });
  await expect(started).rejects.toThrow('the port is taken');
});

test('with rbac, refuses the requests that the generated roles do not allow', async () => {
  await using server = await FakeApiServer.start();
  server.put(jobs, job('a'));
  const log = new RecordingLogger();
  const setUp = (manager: Manager) =>
    manager
      .controller('job')
      .for(jobs)
      .owns(core.v1.configMaps)
      .reconcile(async ({ metadata: { name } }, { apply, client }) => {
        await apply(core.v1.configMaps, { metadata: { name }, data: {} });
        await client.list(core.v1.secrets, { namespace: 'default' });
      });
  const rbac = { manager: { name: 'operator', leaderElection: true }, setUp };
  await using _ = await startTestManager({ cluster: server, setUp, rbac, log, leaderElection: key });
  await eventually(() => expect(log.errors).not.toEqual([]));
  expect(server.list(core.v1.configMaps)).toHaveLength(1);
  expect(String(log.errors[0]?.error)).toContain(
    'secrets is forbidden: User "system:serviceaccount:system:operator" cannot list resource "secrets" in API group "" ' +
      'in the namespace "default"',
  );
});
