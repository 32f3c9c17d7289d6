/** The bundled manager before it has a cluster. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { kubeconfigNowhere } from '../support/kubeconfig-nowhere.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

test('SIGUSR1 opens no inspector', async () => {
  const port = await freePort();
  const environment = { NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` };
  await using manager = new ManagerProcess(kubeconfigNowhere(), [], environment);
  await manager.logged('waiting for caches to sync');
  manager.signal('SIGUSR1');
  for (let turn = 0; turn < 3; turn++) expect(await manager.probe('/healthz')).toMatchObject({ status: 200 });
  expect(await isListening(port)).toBe(false);
  manager.signal('SIGTERM');
  expect(await manager.exited).toBe(0);
  expect(JSON.stringify(manager.lines)).not.toMatch(/Debugger|inspector/);
});

describe('a manager whose kubeconfig is of no use ends with code 1, one sentence, no stack and nothing secret', () => {
  const token = 's3cr3t-of-the-kubeconfig';
  const flags = ['--log-level=debug'];
  test.each(['json', 'human'])('with --log-format=%s', async (format) => {
    const file = join(temporaryFolder(), 'config');
    writeFileSync(file, `users: [{user: {token: ${token}}}\n  : : ]`);
    await using manager = new ManagerProcess(file, [...flags, `--log-format=${format}`]);
    expect(await manager.exited).toBe(1);
    const all = JSON.stringify(manager.lines);
    expect(all).toContain(`kubeconfig ${file}: is not valid YAML at line`);
    expect(all).not.toContain(token);
    expect(all).not.toMatch(/ at \S+.*:\d+:\d+|"stack"/);
  });
});
