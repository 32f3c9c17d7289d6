/** The completion of kubectl tcj, asked by kubectl itself: the plugin is run as its bundle is, from the sources. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import './support/provided.ts';

const home = temporaryFolderOfFile();
const folder = join(home, '.local/bin');
const MAIN = resolve(import.meta.dirname, '../../kubectl-tcj/plugin/main.ts');
const PAGE = resolve(import.meta.dirname, '../../docs/kubectl-tcj/completion.md');

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kubectl-tcj'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(folder, 'kubectl-tcj'), 0o755);
  // As somebody does who reads the page.
  const [, commands = ''] = /^## Set up\n.*?```sh\n(.*?)```/ms.exec(readFileSync(PAGE, 'utf8')) ?? [];
  expect(commands).toContain('kubectl_complete-tcj');
  const PATH = [folder, dirname(inject('kubectl')), process.env['PATH']].join(delimiter);
  await run('sh', ['-ec', commands], { env: { ...process.env, PATH, HOME: home } });
});

/** The lines that kubectl offers to the shell; the last one says what the shell does with them. */
function offered(...words: readonly string[]): Promise<readonly string[]> {
  const PATH = [folder, process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH, KUBECONFIG: inject('kubeconfig'), KUBECACHEDIR: folder };
  return new Promise((resolved, reject) => {
    execFile(inject('kubectl'), ['__complete', 'tcj', ...words], { env }, (error, stdout) =>
      error === null ? resolved(stdout.trimEnd().split('\n')) : reject(error),
    );
  });
}

test('kubectl completes commands, names of CronJobs and namespaces', async () => {
  await using scene = await Scene.open();
  for (const name of ['backup', 'bill', 'archive']) await scene.createCronJob({ suspend: true }, name);
  expect(await offered('wh')).toEqual([expect.stringMatching(/^why\t/), ':4']);
  expect(await offered('why', '-n', scene.namespace, 'b')).toEqual(['backup', 'bill', ':4']);
  expect(await offered('suspend', `--namespace=${scene.namespace}`, '')).toEqual(['archive', 'backup', 'bill', ':4']);
  expect(await offered('list', '-n', scene.namespace)).toEqual([scene.namespace, ':4']);
  expect(await offered('list', '--context', '')).toEqual([expect.stringMatching(/./), ':4']);
});

test('kubectl completes the runs of the CronJob that is named', async () => {
  await using scene = await Scene.open();
  const { client, namespace } = scene;
  await scene.createCronJob({ suspend: true, timeZone: 'Europe/Berlin' }, 'backup');
  const recentRuns = [
    '2026-11-23T11:20:00Z Failed backup-1795432800 Schedule took=2s BackoffLimitExceeded',
    '2026-11-23T11:00:00Z Succeeded backup-1795431600 Schedule took=3s',
  ];
  const status = { kind: 'merge', body: { status: { recentRuns } } } as const;
  await client.patch(cronJobs, { namespace, name: 'backup' }, status, { subresource: 'status' });
  const ofNamespace = ['logs', '-n', namespace];
  expect(await offered(...ofNamespace, 'backup', '--run', '')).toEqual([
    'backup-1795431600\tSucceeded, Mon 2026-11-23 12:00 Europe/Berlin',
    'backup-1795432800\tFailed, Mon 2026-11-23 12:20 Europe/Berlin',
    ':4',
  ]);
  expect(await offered(...ofNamespace, '--run', '')).toEqual([':4']);
});
