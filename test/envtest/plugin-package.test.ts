/** kubectl tcj as users install it from npm: in an empty folder, run by kubectl against a real API server. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { run } from '../../hack/control-plane/run.ts';
import { packPlugin } from '../../hack/plugin/npm-package.ts';
import { MIN_NODE_VERSION } from '../../kubectl-tcj/rolldown.config.ts';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';

const output = createTemporaryFolderForFile();
const home = createTemporaryFolderForFile();
const installed = join(home, 'node_modules/kubectl-tcj');
let tarball: string;

beforeAll(async () => {
  tarball = await packPlugin(output);
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--offline', tarball], { cwd: home });
});

test('contains only the bundle and documents', async () => {
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

test('has a README that names this Node version, without links to missing pages', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  expect(readme).toMatch(/^# kubectl tcj\n/);
  expect(readme).toContain(`Node ${MIN_NODE_VERSION.replace(/\.0$/, '')} or newer`);
  expect(readme).not.toMatch(/\]\((?!https?:)/);
});

test('requires a Node version that every bundled package supports', () => {
  const { engines } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(engines).toEqual({ node: `>=${MIN_NODE_VERSION}` });
  const { components } = JSON.parse(readFileSync(join(output, 'kubectl-tcj/sbom.cdx.json'), 'utf8'));
  const required = components.flatMap(({ group, name, type }: { group?: string; name: string; type: string }) => {
    if (type === 'platform') return [];
    const file = join('node_modules', group ?? '', name, 'package.json');
    return /^>=? ?(\d+\.\d+\.\d+)$/.exec(JSON.parse(readFileSync(file, 'utf8')).engines?.node ?? '')?.[1] ?? [];
  });
  const byVersion = new Intl.Collator('en', { numeric: true });
  expect(required.toSorted(byVersion.compare).at(-1)).toBe(MIN_NODE_VERSION);
});

describe('kubectl', () => {
  const local = join(home, '.local/bin');
  const path = [local, join(home, 'node_modules/.bin'), dirname(inject('kubectl')), process.env['PATH']].join(
    delimiter,
  );
  const env = { ...process.env, PATH: path, HOME: home, KUBECONFIG: inject('kubeconfig'), KUBECACHEDIR: output };
  const kubectl = (...args: readonly string[]) => run(inject('kubectl'), args, { env });
  /** The lines that kubectl offers to the shell; the last one is a directive to the shell. */
  const offered = async (...words: readonly string[]) =>
    (await kubectl('__complete', 'tcj', ...words)).trimEnd().split('\n');

  test('finds the plugin and runs it', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
    expect(await kubectl('plugin', 'list')).toContain(`${join(home, 'node_modules/.bin/kubectl-tcj')}\n`);
    expect(await kubectl('tcj', '--help')).toMatch(/^Inspect and manage CronJobs/);
    expect(await kubectl('tcj', 'list', '-n', scene.namespace)).toMatch(/^NAME .*\nbackup {3}Unobserved /);
    expect(await offered('resu')).toEqual([expect.stringMatching(/^resume\t/), ':4']);
  });

  test('completes names from the cluster, set up as documented', async () => {
    const page = readFileSync(join(PROJECT, 'docs/kubectl-tcj/completion.md'), 'utf8');
    const [, commands = ''] = /^## Set up\n.*?```sh\n(.*?)```/ms.exec(page) ?? [];
    mkdirSync(local, { recursive: true });
    await run('sh', ['-ec', commands], { env });
    expect(readdirSync(local)).toEqual(['kubectl_complete-tcj']);
    await using scene = await Scene.open();
    const { client, namespace } = scene;
    for (const name of ['backup', 'bill', 'archive']) await scene.createCronJob({ suspend: true }, name);
    const recentRuns = ['2026-11-23T11:20:00Z Failed backup-1795432800 Schedule took=2s BackoffLimitExceeded'];
    const status = { kind: 'merge', body: { status: { recentRuns } } } as const;
    await client.patch(cronJobs, { namespace, name: 'backup' }, status, { subresource: 'status' });
    expect(await offered('why', '-n', namespace, 'b')).toEqual(['backup', 'bill', ':4']);
    expect(await offered('suspend', `--namespace=${namespace}`, '')).toEqual(['archive', 'backup', 'bill', ':4']);
    expect(await offered('list', '-n', namespace)).toEqual([namespace, ':4']);
    expect(await offered('list', '--context', '')).toEqual([expect.stringMatching(/./), ':4']);
    const run1120 = 'backup-1795432800\tFailed, Mon 2026-11-23 11:20 UTC';
    expect(await offered('logs', '-n', namespace, 'backup', '--run', '')).toEqual([run1120, ':4']);
  });
});
