/** kubectl tcj as krew installs it, from the manifest of a release. */
import { delimiter, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';

const root = createTemporaryFolderForFile();
const bin = join(root, 'bin');
const manifest = join(inject('release'), 'tcj.yaml');

test('krew validates the manifest', async () => {
  await run(inject('krewValidator'), ['-manifest', manifest, '-skip-install']);
});

test('krew installs the plugin from the URLs of a release, and kubectl runs it', async () => {
  const env = { KREW_ROOT: root, PATH: process.env['PATH'], HOME: root };
  const flags = [`--manifest-url=${inject('releaseUrl')}/tcj.yaml`, '--no-update-index']; // the index is on the internet
  await run(inject('krew'), ['install', ...flags], { env });

  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const inKrew = { PATH: [bin, '/usr/bin', '/bin'].join(delimiter), KUBECONFIG: inject('kubeconfig') };
  const kubectl = (...args: readonly string[]) => run(inject('kubectl'), args, { env: inKrew });
  expect(await kubectl('plugin', 'list')).toContain(`${join(bin, 'kubectl-tcj')}\n`);
  expect(await kubectl('tcj', '--help')).toMatch(/^Inspect and manage CronJobs/);
  expect(await kubectl('tcj', 'list', '-n', scene.namespace)).toMatch(/^NAME .*\nbackup {3}Unobserved /);
});
