/** The bundled manager, as a process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { admissionReview, eventually, findFreePort, postReview, writeCertificate } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { leases } from '../support/leases.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createUnreachableKubeconfig } from '../support/unreachable-kubeconfig.ts';

const leaseName = 'cronjob-controller.batch.tutorial.kubebuilder.io';
const path = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
const deletion = admissionReview({ operation: 'DELETE' });
const ALLOWED = { body: { response: { allowed: true } } };

function startWithElection({ namespace }: Scene, ...more: readonly string[]): ManagerProcess {
  const flags = ['--leader-elect', `--leader-election-namespace=${namespace}`, `--namespaces=${namespace}`];
  return new ManagerProcess(inject('kubeconfig'), [...flags, ...more]);
}

async function createWebhookFlags(): Promise<{ readonly port: number; readonly flags: readonly string[] }> {
  const [folder, port] = [createTemporaryFolder(), await findFreePort()];
  writeCertificate(folder);
  return { port, flags: [`--webhook-cert-path=${folder}`, `--webhook-port=${port}`] };
}

async function getLeaseHolder({ client, namespace }: Scene): Promise<string | undefined> {
  return (await client.get(leases, { namespace, name: leaseName }))?.spec?.holderIdentity;
}

describe('the bundled manager', () => {
  test('is ready after its caches; a second one is ready on standby, answers reviews, and takes over at once', async () => {
    await using scene = await Scene.open();
    await using first = startWithElection(scene);
    await first.waitForLog('controller started');
    expect(await first.probe('/readyz')).toEqual({ status: 200, body: 'ok' });
    expect(await first.probe('/healthz')).toEqual({ status: 200, body: 'ok' });
    const { port, flags } = await createWebhookFlags();
    await using second = startWithElection(scene, ...flags);
    await second.waitForLog('another process leads');
    await second.waitForLog('listening', { server: 'webhooks' });
    expect(await postReview({ port, path, body: deletion })).toMatchObject(ALLOWED);
    expect(await second.probe('/readyz')).toMatchObject({ status: 200 });
    expect(second.lines.some((line) => line['msg'] === 'controller started')).toBe(false);
    const before = await getLeaseHolder(scene);
    expect(before).toMatch(/_/);
    first.signal('SIGTERM');
    expect(await first.exited).toBe(0);
    await second.waitForLog('controller started');
    expect(await getLeaseHolder(scene)).not.toBe(before);
    second.signal('SIGTERM');
    expect(await second.exited).toBe(0);
    // The lease is released.
    expect(await getLeaseHolder(scene)).toBe('');
    expect([...first.lines, ...second.lines].filter((line) => line['level'] === 'error')).toEqual([]);
  });

  test('a leader exits with code 1 when another process takes its lease', async () => {
    await using scene = await Scene.open();
    await using manager = startWithElection(scene);
    await manager.waitForLog('controller started');
    await eventually(async () => {
      const lease = await scene.client.get(leases, { namespace: scene.namespace, name: leaseName });
      if (!lease?.spec) throw new Error('no lease');
      await scene.client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'thief' } });
    });
    expect(await manager.exited).toBe(1);
    expect(await getLeaseHolder(scene)).toBe('thief');
  });

  test('ignores SIGUSR1, and answers reviews before its caches have synced', async () => {
    const [inspector, { port, flags }] = [await findFreePort(), await createWebhookFlags()];
    const environment = { NODE_OPTIONS: `--inspect-port=127.0.0.1:${inspector}` };
    await using manager = new ManagerProcess(createUnreachableKubeconfig(), flags, environment);
    await manager.waitForLog('waiting for caches to sync');
    await manager.waitForLog('listening', { server: 'webhooks' });
    manager.signal('SIGUSR1');
    expect(await postReview({ port, path, body: deletion })).toMatchObject(ALLOWED);
    expect(await manager.probe('/readyz/webhook')).toEqual({ status: 200, body: 'ok' });
    expect(await manager.probe('/readyz/caches')).toMatchObject({ status: 500 });
    expect(await isListening(inspector)).toBe(false);
    manager.signal('SIGTERM');
    expect(await manager.exited).toBe(0);
    expect(JSON.stringify(manager.lines)).not.toMatch(/Debugger|inspector/);
  });

  test('serves the metrics of docs/metrics.md, for at most --metrics-max-cronjobs CronJobs', async () => {
    await using scene = await Scene.open();
    for (const name of ['c', 'a', 'b']) await scene.createCronJob({ suspend: true }, name);
    const metrics = ['--metrics-bind-address=127.0.0.1:0', '--metrics-secure=false', '--metrics-max-cronjobs=2'];
    const flags = [...metrics, `--namespaces=${scene.namespace}`];
    await using manager = new ManagerProcess(inject('kubeconfig'), flags);
    const { port } = await manager.waitForLog('listening', { server: 'metrics' });
    const lines = await eventually(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text).toContain('\ncronjob_metrics_omitted 1\n');
      return text.split('\n');
    });
    const labels = (name: string) => `namespace="${scene.namespace}",name="${name}"`;
    expect(lines.filter((line) => line.startsWith('cronjob_suspended'))).toEqual(
      ['a', 'b'].map((name) => `cronjob_suspended{${labels(name)}} 1`),
    );
    const types = lines.flatMap((line) => /^# TYPE (.*)/.exec(line)?.[1] ?? []);
    const page = readFileSync(join(PROJECT, 'docs/metrics.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm)].map(([, name, type]) => `${name} ${type}`);
    // Only these and the process metrics.
    expect(types.filter((type) => !/^(process|nodejs)_/.test(type)).toSorted()).toEqual(documented.toSorted());
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

describe('exits with advice', () => {
  test('for an unknown flag', async () => {
    await using manager = new ManagerProcess(inject('kubeconfig'), ['--leader-elekt']);
    expect(await manager.exited).toBe(2);
    expect(JSON.stringify(manager.lines)).toContain('--leader-elect');
  });

  test.each(['json', 'human'])(
    'for an invalid kubeconfig, with --log-format=%s: without a stack trace or a secret',
    async (format) => {
      const file = join(createTemporaryFolder(), 'config');
      const token = 's3cr3t-of-the-kubeconfig';
      writeFileSync(file, `users: [{user: {token: ${token}}}\n  : : ]`);
      await using manager = new ManagerProcess(file, ['--log-level=debug', `--log-format=${format}`]);
      expect(await manager.exited).toBe(1);
      const all = JSON.stringify(manager.lines);
      expect(all).toContain(`kubeconfig ${file}: is not valid YAML at line`);
      expect(all).not.toContain(token);
      expect(all).not.toMatch(/ at \S+.*:\d+:\d+|"stack"/);
    },
  );
});
