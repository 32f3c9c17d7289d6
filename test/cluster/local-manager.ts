import { join } from 'node:path';
import { findFreePort } from 'controller-runtime/testing';
import { ManagedProcess } from './managed-process.ts';
import type { Reaper } from './reaper.ts';

interface LocalManagerOptions {
  readonly kubeconfig: string;
  /** Additional flags. */
  readonly flags?: readonly string[];
  /** Default: our own standard output and error. */
  readonly logFile?: string;
  /** Ends the manager when it is closed, or when this process is gone. */
  readonly reaper: Reaper;
  readonly signal?: AbortSignal;
}

/** Starts the manager from `make build` for a cluster. Resolves when it is ready. */
export async function startManager(options: LocalManagerOptions): Promise<ManagedProcess> {
  const { kubeconfig, flags = [], logFile, reaper, signal } = options;
  const address = `127.0.0.1:${await findFreePort()}`;
  const manager = new ManagedProcess({
    name: 'manager',
    command: process.execPath,
    args: [join(import.meta.dirname, '../../dist/manager.mjs'), `--health-probe-bind-address=${address}`, ...flags],
    env: { ...process.env, KUBECONFIG: kubeconfig },
    ...(logFile !== undefined && { logFile }),
    reaper,
  });
  await manager.waitUntil('ready', async () => (await fetch(`http://${address}/readyz`)).ok, { signal });
  return manager;
}
