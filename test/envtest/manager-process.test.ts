import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { leases } from '../support/leases.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { Scene } from '../support/scene.ts';

const leaseName = 'cronjob-controller.batch.tutorial.kubebuilder.io';

function startElected(scene: Scene): ManagerProcess {
  const { namespace } = scene;
  const flags = ['--leader-elect', `--leader-election-namespace=${namespace}`, `--namespaces=${namespace}`];
  return new ManagerProcess(inject('kubeconfig'), flags);
}

async function holderOf({ client, namespace }: Scene): Promise<string | undefined> {
  return (await client.get(leases, { namespace, name: leaseName }))?.spec?.holderIdentity;
}

describe('the bundled manager', () => {
  test('is ready once its caches are, stops on SIGTERM with code 0 and gives its lease back', async () => {
    await using scene = await Scene.open();
    await using manager = startElected(scene);
    await manager.logged('controller started');
    expect(await manager.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
    expect(await manager.probe('/healthz')).toEqual({ status: 200, body: 'ok' });
    expect(await holderOf(scene)).toMatch(/_/);
    manager.signal('SIGTERM');
    expect(await manager.exited).toBe(0);
    expect(await holderOf(scene)).toBe('');
    expect(manager.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  test('a second one stands by, ready, and takes over at once when the first stops', async () => {
    await using scene = await Scene.open();
    await using first = startElected(scene);
    await first.logged('controller started');
    await using second = startElected(scene);
    await second.logged('another process leads');
    expect(await second.probe('/readyz')).toMatchObject({ status: 200 });
    expect(second.lines.some((line) => line['msg'] === 'controller started')).toBe(false);
    const before = await holderOf(scene);
    first.signal('SIGTERM');
    expect(await first.exited).toBe(0);
    await second.logged('controller started');
    expect(await holderOf(scene)).not.toBe(before);
  });

  test('a leader whose lease was taken stops with code 1', async () => {
    await using scene = await Scene.open();
    await using manager = startElected(scene);
    await manager.logged('controller started');
    await eventually(async () => {
      const lease = await scene.client.get(leases, { namespace: scene.namespace, name: leaseName });
      if (!lease?.spec) throw new Error('no lease');
      await scene.client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'thief' } });
    });
    expect(await manager.exited).toBe(1);
    expect(await holderOf(scene)).toBe('thief');
  });

  test('says what to do when it is given what it cannot use', async () => {
    await using unknownFlag = new ManagerProcess(inject('kubeconfig'), ['--leader-elekt']);
    expect(await unknownFlag.exited).toBe(2);
    expect(JSON.stringify(unknownFlag.lines)).toContain('--leader-elect');
    await using noCluster = new ManagerProcess('/nonexistent/kubeconfig');
    expect(await noCluster.exited).toBe(1);
    expect(JSON.stringify(noCluster.lines)).toContain('/nonexistent/kubeconfig');
  });
});
