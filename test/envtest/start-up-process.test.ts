/** The bundled manager before it has a cluster. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { kubeconfigNowhere } from '../support/kubeconfig-nowhere.ts';
import { ManagerProcess } from '../support/manager-process.ts';

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
