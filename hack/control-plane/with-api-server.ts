/**
 * Runs a command with the KUBECONFIG of a new API server, and exits with the exit code of the command.
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
