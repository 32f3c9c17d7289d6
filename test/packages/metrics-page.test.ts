import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { core, createManager } from 'controller-runtime';
import { eventually, FakeApiServer, RecordingLogger } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { formatMetricsTable } from '../../hack/docs/metrics-page.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { readPage } from './page-blocks.ts';

test('runtime/docs/metrics.md lists the metrics that a manager serves', async () => {
  await using server = await FakeApiServer.start();
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  const log = new RecordingLogger();
  const manager = createManager({
    name: 'test',
    kubeconfig,
    log,
    healthProbes: { bindAddress: '0' },
    metrics: { bindAddress: '127.0.0.1:0', isSecure: false },
  });
  manager
    .controller('configmap')
    .for(core.v1.configMaps)
    .reconcile(async () => {});
  const stopping = new AbortController();
  const ended = manager.run(stopping.signal);
  const port = await eventually(() => {
    const listening = log.records.find(({ fields }) => fields['server'] === 'metrics');
    expect(listening).toBeDefined();
    return listening?.fields['port'];
  });
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  stopping.abort();
  await ended;

  const { descriptions } = manager.metrics.registry;
  const served = text.split('\n').filter((line) => /^# (?:HELP|TYPE) (?!process_|nodejs_)/.test(line));
  const expected = descriptions.flatMap(({ name, help, type }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]);
  expect(served).toEqual(expected);
  expect(readPage('runtime', 'docs/metrics.md').text).toContain(formatMetricsTable(descriptions));
});
