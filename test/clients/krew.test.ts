/** kubectl tcj as krew installs it, from the manifest of a release. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { createReleaseFiles } from '../../hack/plugin/write-release-files.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolder, createTemporaryFolderForFile } from '../support/temporary-folder.ts';

const URLS = { downloads: 'https://example.com/download', homepage: 'https://example.com' };

const root = createTemporaryFolderForFile();
const bin = join(root, 'bin');
const manifest = join(createTemporaryFolderForFile(), 'tcj.yaml');
const archive = inject('archive');
const release = createReleaseFiles({ folder: dirname(archive), ...URLS });
writeFileSync(manifest, release['tcj.yaml']);

test('the manifest has the checksums of the archives', () => {
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  expect(release.SHA256SUMS).toBe(`${sum}  ${basename(archive)}\n`);
});

test('the release fails without an archive', () => {
  expect(() => createReleaseFiles({ folder: createTemporaryFolder(), ...URLS })).toThrow(
    'has no archive of kubectl tcj',
  );
});

test('krew validates the manifest', async () => {
  await run(inject('krewValidator'), ['-manifest', manifest, '-skip-install']);
});

test('krew installs the plugin, and kubectl runs it', async () => {
  const env = { KREW_ROOT: root, PATH: process.env['PATH'], HOME: root };
  await run(inject('krew'), ['install', `--manifest=${manifest}`, `--archive=${archive}`], { env });

  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const inKrew = { PATH: [bin, '/usr/bin', '/bin'].join(delimiter), KUBECONFIG: inject('kubeconfig') };
  const kubectl = (...args: readonly string[]) => run(inject('kubectl'), args, { env: inKrew });
  expect(await kubectl('plugin', 'list')).toContain(`${join(bin, 'kubectl-tcj')}\n`);
  expect(await kubectl('tcj', '--help')).toMatch(/^Inspect and manage CronJobs/);
  expect(await kubectl('tcj', 'list', '-n', scene.namespace)).toMatch(/^NAME .*\nbackup {3}Unobserved /);
});
