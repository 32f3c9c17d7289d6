/** The completion of kubectl tcj, asked by kubectl itself: the plugin is run as its bundle is, from the sources. */
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { SCRIPTS } from '../../plugin/completion/scripts.ts';
import { Scene } from '../support/scene.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import './support/provided.ts';

const folder = temporaryFolderOfFile();
const MAIN = resolve(import.meta.dirname, '../../plugin/main.ts');
for (const [name, text] of [
  ['kubectl-tcj', `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`],
  ['kubectl_complete-tcj', SCRIPTS.kubectl],
] as const) {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

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
