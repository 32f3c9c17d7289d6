import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { core } from '../kubernetes/core.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** An operator as a separate process. `floats` is the code that its reconciles run before they succeed. */
function createProgram(floats: string): string {
  return `
    import { core, createManager, stopSignal } from 'controller-runtime';
    const metrics = { bindAddress: '127.0.0.1:0', isSecure: false };
    const manager = createManager({ name: 'floating', healthProbes: { bindAddress: '0' }, metrics });
    manager.controller('configmap').for(core.v1.configMaps).reconcile(async ({ metadata }, { client, log }) => {
      ${floats}
      log.info('reconcile ended', { of: metadata.name });
    });
    await manager.run(stopSignal());
  `;
}

/** The log of the process, and its exit. */
async function run(server: FakeApiServer, program: string) {
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd: PROJECT, env });
  const lines: Readonly<Record<string, unknown>>[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(parsed(line)));
  const exited = once(child, 'close').then(([code]) => code);
  const logged = (fields: object) => eventually(() => expect(lines).toContainEqual(expect.objectContaining(fields)));
  const dispose = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { child, lines, exited, logged, [Symbol.asyncDispose]: dispose };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line);
  } catch {
    return { text: line };
  }
}

async function serverWith(...names: readonly string[]) {
  const server = await FakeApiServer.start();
  for (const name of names) server.put(core.v1.configMaps, { metadata: { namespace: 'default', name } });
  return server;
}

test('logs an unhandled rejection of a reconcile with its object, and continues', async () => {
  await using server = await serverWith('a');
  const missing = `void client.delete(core.v1.secrets, { namespace: 'default', name: metadata.name });`;
  await using operator = await run(server, createProgram(missing));
  const rejected = { level: 'error', msg: 'unhandled promise rejection in reconcile', controller: 'configmap' };
  const error = expect.objectContaining({ name: 'ApiError' });
  await operator.logged({ ...rejected, namespace: 'default', name: 'a', error });
  // It continues, and stops as usual.
  server.put(core.v1.configMaps, { metadata: { namespace: 'default', name: 'b' } });
  await operator.logged({ msg: 'reconcile ended', of: 'b' });
  await operator.logged({ ...rejected, name: 'b' });
  const { port } = operator.lines.find(({ msg, server: of }) => msg === 'listening' && of === 'metrics') ?? {};
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('controller_runtime_reconcile_errors_total{controller="configmap"} 2');
  operator.child.kill('SIGTERM');
  expect(await operator.exited).toBe(0);
  expect(operator.lines.at(-1)).toMatchObject({ msg: 'manager stopped' });
});

test('any other unhandled rejection stops the manager in order, with exit code 1', async () => {
  await using server = await serverWith('a');
  const background = `setImmediate(() => void Promise.reject(new Error('lost')));`;
  const program = createProgram('').replace('await manager.run', `${background}\n    await manager.run`);
  await using operator = await run(server, program);
  expect(await operator.exited).toBe(1);
  expect(operator.lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({
      msg: 'unhandled promise rejection, stopping',
      error: expect.objectContaining({ message: 'lost' }),
    }),
  ]);
  expect(operator.lines.at(-1)).toMatchObject({ msg: 'manager stopped' });
});
