/** kubectl tcj as people install it from npm: in an empty folder, run by kubectl against a real API server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { packPlugin } from '../../hack/plugin/npm-package.ts';
import { OLDEST_NODE } from '../../kubectl-tcj/rolldown.config.ts';
import { Scene } from '../support/scene.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';

const output = temporaryFolderOfFile();
const home = temporaryFolderOfFile();
const installed = join(home, 'node_modules/kubectl-tcj');
let tarball: string;

beforeAll(async () => {
  tarball = await packPlugin(output);
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--offline', tarball], { cwd: home });
});

test('holds the bundle, papers and nothing else', async () => {
  const files = (await run('tar', ['-tzf', tarball])).trimEnd().split('\n').sort();
  const names = [
    'LICENSE',
    'README.md',
    'THIRD_PARTY_LICENSES',
    'kubectl-tcj.mjs',
    'kubectl_complete-tcj',
    'package.json',
    'plugin.mjs',
  ];
  expect(files).toEqual(names.map((name) => `package/${name}`));
});

test('has a README that names this Node, without links to pages that it does not have', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  expect(readme).toMatch(/^# kubectl tcj\n/);
  expect(readme).toContain(`Node ${OLDEST_NODE.replace(/\.0$/, '')} or newer`);
  expect(readme).not.toMatch(/\]\((?!https?:)/);
});

test('names a Node that every bundled package runs on', () => {
  const { engines } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(engines).toEqual({ node: `>=${OLDEST_NODE}` });
  const { components } = JSON.parse(readFileSync(join(output, 'kubectl-tcj/sbom.cdx.json'), 'utf8'));
  const wanted = components.flatMap(({ group, name, type }: { group?: string; name: string; type: string }) => {
    if (type === 'platform') return [];
    const file = join('node_modules', group ?? '', name, 'package.json');
    return /^>=? ?(\d+\.\d+\.\d+)$/.exec(JSON.parse(readFileSync(file, 'utf8')).engines?.node ?? '')?.[1] ?? [];
  });
  const byVersion = new Intl.Collator('en', { numeric: true });
  expect(wanted.toSorted(byVersion.compare).at(-1)).toBe(OLDEST_NODE);
});

test('is found by kubectl, and answers', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const path = [join(home, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, KUBECONFIG: inject('kubeconfig') };
  const kubectl = (...args: readonly string[]) => run(inject('kubectl'), args, { env });
  expect(await kubectl('plugin', 'list')).toContain(`${join(home, 'node_modules/.bin/kubectl-tcj')}\n`);
  expect(await kubectl('tcj', '--help')).toMatch(/^Answers questions about CronJobs/);
  expect(await kubectl('tcj', 'list', '-n', scene.namespace)).toMatch(/^NAME .*\nbackup {3}Unobserved /);
  // As it does for a shell.
  expect(await kubectl('__complete', 'tcj', 'resu')).toMatch(/^resume\t/);
});
