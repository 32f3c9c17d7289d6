import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { kubeconfigNowhere } from '../../test/support/kubeconfig-nowhere.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { racks, widgets } from '../test-support/objects.ts';
import { createManager } from './create-manager.ts';

const PROBES_OFF = { healthProbes: { bindAddress: '0' } };

/** Lines of the log from now on, parsed. */
function logLines(): readonly Readonly<Record<string, unknown>>[] {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = process.stderr.write;
  process.stderr.write = ((line: string, ...rest: readonly unknown[]) => {
    if (line !== '') lines.push(JSON.parse(line));
    const done = rest.find((each) => typeof each === 'function');
    if (typeof done === 'function') done();
    return true;
  }) as typeof write; // in the one form that the log uses
  onTestFinished(() => {
    process.stderr.write = write;
  });
  return lines;
}

test.each(['', 'Widget', 'a.b', '-a', 'a'.repeat(64)])('refuses the name "%s"', (name) => {
  expect(() => createManager({ name })).toThrow(`name: "${name}" is not an RFC 1123 label, such as website-operator`);
});

test('refuses an address that is none', () => {
  expect(() => createManager({ name: 'a', healthProbes: { bindAddress: '8081' } })).toThrow(
    /^bindAddress: "8081" is not/,
  );
});

test('reads no kubeconfig before it runs, and fails then in one sentence', async () => {
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  const [kubeconfig, log] = [join(temporaryFolder(), 'none'), logLines()];
  await createManager({ name: 'a', ...PROBES_OFF, kubeconfig }).run(new AbortController().signal);
  expect(process.exitCode).toBe(1);
  const message = `kubeconfig ${kubeconfig}: no such file; correct --kubeconfig or KUBECONFIG`;
  expect(log).toEqual([
    expect.objectContaining({ level: 'error', msg: 'manager failed', error: { name: 'ConfigurationError', message } }),
  ]);
});

test('with leader election needs a namespace outside a cluster, and says so when it starts', async () => {
  const manager = createManager({
    name: 'a',
    ...PROBES_OFF,
    log: { level: 'error' },
    kubeconfig: kubeconfigNowhere(),
    leaderElection: true,
  });
  await expect(manager.start(new AbortController().signal)).rejects.toThrow(
    'leader election outside a cluster needs a namespace: give --leader-election-namespace, or the option `namespace`',
  );
});

test('takes webhooks without serving them when it was not asked to, and says so once', () => {
  const log = logLines();
  const manager = createManager({ name: 'a', ...PROBES_OFF });
  expect(log).toEqual([]);
  for (const kind of [widgets, racks]) manager.webhooks.for(kind, { validate: () => [] });
  expect(manager.readyz.has('webhook')).toBe(false);
  expect(log).toEqual([
    expect.objectContaining({
      msg: 'webhooks are off',
      reason: 'to turn them on, set the option `webhooks` of the manager',
    }),
  ]);
});
