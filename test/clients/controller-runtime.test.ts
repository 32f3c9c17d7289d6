/** controller-runtime from a registry, and operators that the commands of its pages bundle, on the oldest and the newest Node. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { core } from 'controller-runtime';
import { eventually, startTestEnvironment } from 'controller-runtime/testing';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { NEWEST_NODE_VERSION } from '../../hack/control-plane/versions.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { getWord, parseBlocks, parseExample, readPage } from '../packages/page-blocks.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { installReleased } from './support/install-released.ts';
import { OLDEST_NODES } from './support/provision-node.ts';
import { getNode, runOnNode } from './support/run-on-node.ts';

/** Timeout for installing and bundling, on a machine that is busy with other work. */
const INSTALLATION_TIMEOUT_MS = 300_000;
const BUNDLERS = ['esbuild', 'rolldown'];

/** The package is installed here; its subfolders contain operators. */
const home = createTemporaryFolderForFile();

beforeAll(async () => {
  await installReleased(home, `controller-runtime@${packageJson.version}`, `zod@${packageJson.dependencies.zod}`);
  await run('npm', ['pkg', 'set', 'type=module'], { cwd: home });
  for (const name of BUNDLERS) {
    const file = join('node_modules/.bin', name);
    symlinkSync(join(import.meta.dirname, '../..', file), join(home, file));
  }
  for (const name of ['sources', ...BUNDLERS])
    cpSync('runtime/examples/pod-watcher', join(home, name), { recursive: true });
  for (const name of BUNDLERS) await bundle(name, name, 'main.ts');
  mkdirSync(join(home, 'tutorial'));
  for (const block of parseBlocks(readPage('runtime', 'docs/first-operator.md').text)) {
    const file = getWord(block, 'file');
    if (file?.endsWith('.ts')) writeFileSync(join(home, 'tutorial', file), block.text);
  }
  await bundle('esbuild', 'tutorial', 'operator.test.ts');
}, INSTALLATION_TIMEOUT_MS);

/** Bundles a file of a folder into its dist/main.mjs, with the command of the page. */
async function bundle(bundler: string, folder: string, file: string): Promise<void> {
  const { text } = readPage('runtime', 'docs/deploying.md');
  const command = parseBlocks(text).find((block) => block.text.startsWith(`npx ${bundler} main.ts `));
  if (command === undefined) throw new Error(`deploying.md does not say how to bundle with ${bundler}`);
  await run('bash', ['-euc', command.text.replace('main.ts', file)], { cwd: join(home, folder) });
}

test('the package requires the oldest tested Node version', () => {
  const manifest = readFileSync(join(home, 'node_modules/controller-runtime/package.json'), 'utf8');
  expect(JSON.parse(manifest).engines.node).toBe(`>=${OLDEST_NODES.runtime}`);
});

describe.each([OLDEST_NODES.runtime, NEWEST_NODE_VERSION])('on Node %s', (version) => {
  test('the README example and the command of controller-runtime work', async () => {
    const { code, output } = parseExample(readFileSync('runtime/README.md', 'utf8'));
    const file = join(home, 'example.mjs');
    writeFileSync(file, stripTypeScriptTypes(code));
    const example = await runOnNode(version, getNode(version), ['--pending-deprecation', file], {});
    expect(example).toEqual({ code: 0, stdout: output, stderr: '' });
    const command = join(home, 'node_modules/.bin/controller-runtime');
    const manifests = join(home, 'sources/manifests.ts');
    const generated = await runOnNode(
      version,
      command,
      ['generate', manifests, '--output-dir', join(home, version)],
      {},
    );
    expect(generated).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('rbac/role.yaml') });
  });

  test.each([
    { form: 'as TypeScript', file: 'sources/main.ts' },
    ...BUNDLERS.map((name) => ({ form: `bundled by ${name}`, file: `${name}/dist/main.mjs` })),
  ])('an operator $form reconciles without a Node warning', async ({ file }) => {
    await using environment = await startTestEnvironment({ kubeconfig: inject('kubeconfig') });
    const { client } = environment;
    const namespace = await environment.createNamespace('pods');
    const program = {
      file: join(home, file),
      node: getNode(version),
      nodeFlags: ['--pending-deprecation', '--trace-warnings'],
    };
    const flags = [`--namespaces=${namespace}`, '--label=team'];
    await using operator = new ManagerProcess(inject('kubeconfig'), flags, {}, program);
    await operator.waitForLog('controller started');
    const spec = { containers: [{ name: 'a', image: 'busybox' }] };
    await client.create(core.v1.pods, { metadata: { namespace, name: 'nobodys' }, spec });
    await eventually(async () => {
      const events = await client.list(core.v1.events, { namespace });
      expect(events).toMatchObject([{ reason: 'NoTeam', involvedObject: { kind: 'Pod', name: 'nobodys' } }]);
    });
    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    expect(operator.lines.filter(({ text, level }) => text !== undefined || level === 'error')).toEqual([]);
  });

  test('the test of the tutorial passes', async () => {
    const result = await runOnNode(version, getNode(version), ['--test', join(home, 'tutorial/dist/main.mjs')], {});
    expect(result).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('pass 1') });
  });
});

test.each(['20.20.2', '22.18.0'])('the command of controller-runtime refuses Node %s', async (version) => {
  const command = join(home, 'node_modules/.bin/controller-runtime');
  expect(await runOnNode(version, command, ['generate', 'x.js'], {})).toMatchObject({
    code: 1,
    stderr: `controller-runtime needs Node.js 22.19 or later; this is v${version}\n`,
  });
});
