import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMetricsServer, discardLogger } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { ManagerProcess } from '../support/manager-process.ts';
import type { RunningManager } from '../support/running-manager.ts';
import { Scene } from '../support/scene.ts';

const DOCUMENTATION = join(import.meta.dirname, '../../docs/metrics.md');

async function scrape(port: unknown): Promise<readonly string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return (await response.text()).split('\n');
}

/** Lets the manager serve metrics; returns how to get the lines that begin with `prefix`. */
async function served({ manager }: RunningManager): Promise<(prefix: string) => Promise<readonly string[]>> {
  const server = createMetricsServer({
    address: { kind: 'listen', host: '127.0.0.1', port: 0 },
    security: { kind: 'none' },
    metrics: manager.metrics,
    clock: manager.clock,
    log: discardLogger,
  });
  manager.addServer(server);
  const { port } = await server.listening;
  return async (prefix) => (await scrape(port)).filter((line) => line.startsWith(prefix));
}

describe('metrics of each CronJob', () => {
  test('are shown by the leader only, and by the next one when it stops', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob();
    const leader = await scene.startManager({ leaseName: 'metrics' });
    await scene.observed();
    const linesOfLeader = await served(leader);
    const linesOfStandby = await served(await scene.startManager({ leaseName: 'metrics' }));
    expect(await linesOfLeader('cronjob_suspended')).toHaveLength(1);
    expect(await linesOfStandby('cronjob_suspended')).toEqual([]);
    expect(await linesOfStandby('cronjob_metrics_omitted')).toEqual([]);
    await scene.stopManager(leader);
    await eventually(async () => {
      await scene.clock.advance(1000); // a standby asks for the lease every few seconds
      expect(await linesOfStandby('cronjob_suspended')).toHaveLength(1);
    });
  });
});

describe('the bundled manager', () => {
  const metricsFlags = ['--metrics-bind-address=127.0.0.1:0', '--metrics-secure=false'];

  async function metricsOf(manager: ManagerProcess): Promise<readonly string[]> {
    const { port } = await eventually(() => {
      const line = manager.lines.find(({ msg, server }) => msg === 'listening' && server === 'metrics');
      if (!line) throw new Error(`no metrics served, but: ${JSON.stringify(manager.lines.slice(-5))}`);
      return line;
    });
    return await scrape(port);
  }

  test('shows no more CronJobs than --metrics-max-cronjobs, and how many it left out', async () => {
    await using scene = await Scene.open();
    for (const name of ['c', 'a', 'b']) await scene.createCronJob({ suspend: true }, name);
    const flags = [...metricsFlags, `--namespaces=${scene.namespace}`, '--metrics-max-cronjobs=2'];
    await using manager = new ManagerProcess(inject('kubeconfig'), flags);
    await eventually(async () => {
      const lines = await metricsOf(manager);
      expect(lines.filter((line) => line.startsWith('cronjob_suspended'))).toEqual([
        `cronjob_suspended{namespace="${scene.namespace}",name="a"} 1`,
        `cronjob_suspended{namespace="${scene.namespace}",name="b"} 1`,
      ]);
      expect(lines).toContain('cronjob_metrics_omitted 1');
    });
  });

  test('serves the metrics that docs/metrics.md lists, and no others but those of the process', async () => {
    await using scene = await Scene.open();
    const flags = [...metricsFlags, `--namespaces=${scene.namespace}`];
    await using manager = new ManagerProcess(inject('kubeconfig'), flags);
    const lines = await metricsOf(manager);
    const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.slice('# TYPE '.length));
    const page = await readFile(DOCUMENTATION, 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm)];
    const documented = rows.map(([, name, type]) => `${name} ${type}`);
    expect(types.filter((type) => !/^(process|nodejs)_/.test(type)).toSorted()).toEqual(documented.toSorted());
  });
});
