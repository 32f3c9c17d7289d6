import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { createUnreachableKubeconfig } from '../../test/support/unreachable-kubeconfig.ts';
import { yieldToEventLoop } from '../clock/yielding-loop.ts';
import { coordination } from '../kubernetes/coordination.ts';
import { racks, widget, widgets } from '../test-support/objects.ts';
import { Website } from '../test-support/websites.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { createManager } from './create-manager.ts';
import type { ManagerOptions } from './manager-options.ts';

const PROBES_OFF = { healthProbes: { bindAddress: '0' } };

/** Lines of the log from now on, parsed. */
function logLines(): readonly Readonly<Record<string, unknown>>[] {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = process.stderr.write;
  process.stderr.write = ((text: string, ...rest: readonly unknown[]) => {
    for (const line of text.split('\n').filter((each) => each !== '')) lines.push(JSON.parse(line));
    const done = rest.find((each) => typeof each === 'function');
    if (typeof done === 'function') done();
    return true;
  }) as typeof write; // with the only signature that the log uses
  onTestFinished(() => {
    process.stderr.write = write;
  });
  return lines;
}

test.each(['', 'Widget', 'a.b', '-a', 'a'.repeat(64)])('rejects the name "%s"', (name) => {
  expect(() => createManager({ name })).toThrow(`name: "${name}" is not an RFC 1123 label, such as website-operator`);
});

test('rejects an invalid address', () => {
  expect(() => createManager({ name: 'a', healthProbes: { bindAddress: '8081' } })).toThrow(
    /^bindAddress: "8081" is not/,
  );
});

test('reads the kubeconfig only when it runs, and fails with one sentence', async () => {
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  const [kubeconfig, log] = [join(createTemporaryFolder(), 'none'), logLines()];
  await createManager({ name: 'a', ...PROBES_OFF, kubeconfig }).run(new AbortController().signal);
  expect(process.exitCode).toBe(1);
  const message = `kubeconfig ${kubeconfig}: no such file; correct --kubeconfig`;
  expect(log).toEqual([
    expect.objectContaining({ level: 'error', msg: 'manager failed', error: { name: 'ConfigurationError', message } }),
  ]);
});

test('uses the context of the options', async () => {
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  await using server = await FakeApiServer.start();
  const [kubeconfig, log] = [join(createTemporaryFolder(), 'kubeconfig'), logLines()];
  writeFileSync(kubeconfig, server.kubeconfig);
  await createManager({ name: 'a', ...PROBES_OFF, kubeconfig, context: 'other' }).run(new AbortController().signal);
  const message = expect.stringContaining('there is no context "other"');
  expect(log).toMatchObject([{ msg: 'manager failed', error: { message } }]);
});

test('with leader election outside a cluster, the start fails without a namespace', async () => {
  const manager = electedOutsideACluster();
  await expect(manager.start(new AbortController().signal)).rejects.toThrow(
    'leader election outside a cluster needs a namespace: set --leader-election-namespace, or the option leaderElection: { namespace } instead of `true`',
  );
});

test('reports missing namespaces of the lease and of certificates in one sentence', async () => {
  const manager = electedOutsideACluster({ webhooks: { certificates: 'own' } });
  await expect(manager.start(new AbortController().signal)).rejects.toThrow(
    /--leader-election-namespace.*--webhook-namespace/,
  );
});

test('accepts webhooks without serving them by default, and logs this once', async () => {
  const log = logLines();
  const manager = createManager({ name: 'a', ...PROBES_OFF });
  await yieldToEventLoop();
  expect(log).toEqual([]);
  for (const kind of [widgets, racks]) manager.webhooks.for(kind, { validate: () => [] });
  expect(manager.readyz.has('webhook')).toBe(false);
  await yieldToEventLoop(); // the log is written
  expect(log).toEqual([
    expect.objectContaining({
      msg: 'webhooks are off',
      reason: 'to enable webhooks, set the option `webhooks` of the manager',
    }),
  ]);
});

test.each([
  ['is ready before the cache of a kind that it converts has synced', { certificates: 'own' }, {}],
  [
    'without a webhook server waits for the cache',
    { off: 'a test' },
    { reason: 'informer of websites has not synced' },
  ],
] as const)('a manager %s', async (_, webhooks, result) => {
  const manager = createManager({ name: 'a', ...PROBES_OFF, webhooks });
  manager.webhooks.convert(Website);
  manager.cache.informerFor(Website);
  expect(await manager.readyz.run('caches')).toEqual({ name: 'caches', ...result });
  manager.cache.informerFor(widgets);
  expect((await manager.readyz.run('caches')).reason).toMatch(/^informer of (websites|widgets) has not synced$/);
});

test('uses the clock, the log and the lease timings of the options', async () => {
  await using server = await FakeApiServer.start();
  const [clock, log] = [new FakeClock(), new RecordingLogger()];
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  const leaderElection = { namespace: 'system', leaseDurationMs: 60_000, renewDeadlineMs: 40_000 };
  const manager = createManager({ name: 'a', ...PROBES_OFF, kubeconfig, leaderElection, clock, log });
  expect(manager.clock).toBe(clock);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await eventually(() => {
    const lease = server.get(coordination.v1.leases, { namespace: 'system', name: 'a' });
    expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 60 });
  });
  stop.abort();
  await running;
  expect(log.records[0]?.message).toBe('manager starting');
  expect(log.errors).toEqual([]);
});

test('rejects lease timings that contradict each other', () => {
  expect(() => createManager({ name: 'a', leaderElection: { renewDeadlineMs: 20_000 } })).toThrow(
    'leaseDurationMs (15000) must be more than renewDeadlineMs (20000)',
  );
});

function electedOutsideACluster(options: Pick<ManagerOptions, 'webhooks'> = {}) {
  const log = { level: 'error' } as const;
  return createManager({
    name: 'a',
    ...PROBES_OFF,
    log,
    kubeconfig: createUnreachableKubeconfig(),
    leaderElection: true,
    ...options,
  });
}

/** A kubeconfig for the server, and options for a manager of the test. */
function optionsFor(server: FakeApiServer) {
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  return { name: 'a', ...PROBES_OFF, kubeconfig, clock: new FakeClock(), log: new RecordingLogger() };
}

test('controllers use the options of the manager that they do not set', async () => {
  await using server = await FakeApiServer.start();
  const options = optionsFor(server);
  const manager = createManager({ ...options, controllers: { maxConcurrentReconciles: 7, reconcileTimeoutMs: 1000 } });
  const signals: AbortSignal[] = [];
  const reconciler = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => void signals.push(signal);
  manager.controller('default').for(widgets).reconcile(reconciler);
  manager.controller('own').for(widgets).withOptions({ maxConcurrentReconciles: 2 }).reconcile(reconciler);
  server.put(widgets, widget());
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await eventually(() => expect(signals).toHaveLength(2));
  const started = options.log.records.filter(({ message }) => message === 'controller started');
  expect(started.map(({ fields }) => fields['maxConcurrentReconciles'])).toEqual([7, 2]);
  expect(signals).not.toContain(manager.abortSignal); // each reconcile has its own signal, for its timeout
  stop.abort();
  await running;
});

test('a start fails when the caches have not synced in time', async () => {
  await using server = await FakeApiServer.start();
  const { clock, ...options } = optionsFor(server);
  server.fail({ resource: widgets }, { kind: 'error', code: 404 }, Number.POSITIVE_INFINITY);
  const manager = createManager({ ...options, clock, cacheSyncTimeoutMs: 120_000 });
  manager
    .controller('widget')
    .for(widgets)
    .reconcile(async () => {});
  const ended = expect(manager.start(new AbortController().signal)).rejects.toThrow(
    'caches have not synced within 120000 ms: informer of widgets has not synced',
  );
  await server.until(() => server.count({ resource: widgets }) > 0);
  await clock.advance(120_000);
  await ended;
});
