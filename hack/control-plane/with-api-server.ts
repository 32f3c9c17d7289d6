/**
 * Runs a command with KUBECONFIG set to a fresh API server, and exits as the command does.
 *
 *   node hack/control-plane/with-api-server.ts node runtime/manifests/fetch-schemas-command.ts <file> <name>
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startApiServer } from '../../test/cluster/api-server.ts';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('usage: with-api-server.ts COMMAND [ARGUMENT…]');
const { kubeconfig, stop } = await startApiServer();
try {
  const child = spawn(command, args, { env: { ...process.env, KUBECONFIG: kubeconfig }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await stop();
}
