/** Writes kubeconfig files, and loads their credentials. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { KubeConfigCredentials } from '../client/credentials.ts';
import { loadKubeConfig } from '../client/kubeconfig/loading-rules.ts';
import type { Credentials } from '../client/server-credentials.ts';
import { formatConsoleLine, formatJsonLine } from '../log/log-line.ts';
import { FakeClock } from '../testing/fake-clock.ts';

export const SECRET = 's3cr3t-of-the-kubeconfig';

export const SERVER = 'https://127.0.0.1:6443';

/** Returns a kubeconfig whose current context has `user` and `cluster`, in JSON, which is valid YAML. */
export function kubeconfig(user: object = {}, cluster: object = {}, otherFields: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: SERVER, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...otherFields,
  });
}

export function writeKubeconfig(text: string, folder = createTemporaryFolder()): string {
  const file = join(folder, 'config');
  writeFileSync(file, text);
  return file;
}

export function createCredentials(text: string, { clock = new FakeClock(), folder = createTemporaryFolder() } = {}) {
  const file = writeKubeconfig(text, folder);
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(file), clock);
  return { credentials, clock, folder, file };
}

export async function loadCredentials(...parts: Parameters<typeof kubeconfig>): Promise<Credentials> {
  return await createCredentials(kubeconfig(...parts)).credentials.current();
}

/** Returns the error that `load` throws. */
export function catchError(load: () => unknown): Error {
  try {
    load();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return expect.unreachable('was not refused');
}

/** Returns the error that loading the credentials causes. */
export async function catchCredentialsError(credentials: KubeConfigCredentials): Promise<Error> {
  return await Promise.resolve(credentials.current()).then(
    () => expect.unreachable('was not refused'),
    (reason) => reason,
  );
}

/** Returns all text of an error that a log or an exiting process could print. */
export function renderError(thrown: Error): string {
  const entry = {
    level: 'error',
    timestamp: '1970-01-01T00:00:00.000Z',
    message: 'm',
    fields: [{ reason: thrown }],
    error: { thrown },
  } as const;
  return [formatJsonLine(entry), formatConsoleLine(entry), inspect(thrown, { depth: 9, showHidden: true })].join('\n');
}

export function useKubeconfig(paths: string): void {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = paths;
  onTestFinished(() => {
    process.env['KUBECONFIG'] = before;
  });
}

/** Writes a shell script as a credential plugin. */
export function writePlugin(folder: string, script: string): string {
  const file = join(folder, 'plugin');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

export const EXEC_API_VERSION = 'client.authentication.k8s.io/v1';

export const execUser = (command: string, execFields: object = {}) => ({
  exec: { apiVersion: EXEC_API_VERSION, command, interactiveMode: 'Never', ...execFields },
});

export const execCredential = (status: object) =>
  JSON.stringify({ apiVersion: EXEC_API_VERSION, kind: 'ExecCredential', status });
