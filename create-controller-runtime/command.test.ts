/** The command as a process without a terminal: what it refuses, and that a refusal writes nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { run } from '../hack/control-plane/run.ts';
import { createTemporaryFolder } from '../test/support/temporary-folder.ts';

const PROJECT = join(import.meta.dirname, '..');
const COMMAND = join(import.meta.dirname, 'main.ts');
const WEBSITE = ['--group', 'example.com', '--kind', 'Website', '--no-install'];

async function runCommand(cwd: string, args: readonly string[], env = process.env) {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

function readFiles(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

test.each([
  { args: [], error: 'missing: the folder, --group, --kind. Without a terminal, pass them' },
  { args: ['a'], error: 'missing: --group, --kind' },
  { args: ['a', '--group', 'example.com'], error: 'missing: --kind.' },
  { args: ['api', '--kind', 'Page'], error: 'missing: --group.' },
  { args: ['webhook'], error: "required option '--kind <kind>' not specified" },
  { args: ['webhook', '--kind', 'Page'], error: 'exactly one file api/*/page-types.ts with the group must exist' },
  { args: ['api', ...WEBSITE], error: 'cmd/operator.ts is missing: run this command in the folder of a project' },
  {
    args: ['a', ...WEBSITE, '--kind', 'website'],
    error: '--kind: "website" must be CamelCase and singular, such as Website',
  },
  { args: ['a', ...WEBSITE, '--kind', 'Manager'], error: '--kind: "Manager" is a name that the project imports' },
  {
    args: ['a', ...WEBSITE, '--group', 'example'],
    error: '--group: "example" must be a domain in lower case with a dot',
  },
  { args: ['a', ...WEBSITE, '--version', '1'], error: '--version: "1" must be a version such as v1' },
  { args: ['a', ...WEBSITE, '--plural', 'Sites'], error: '--plural: "Sites" must be lower-case letters' },
  {
    args: ['a', ...WEBSITE, '--scope', 'cluster'],
    error: "argument 'cluster' is invalid. Allowed choices are Namespaced, Cluster.",
  },
  { args: ['A b', ...WEBSITE], error: 'the name of the operator, "A b", must be lower-case letters' },
  { args: ['zod', ...WEBSITE], error: 'the name of the operator, "zod", is a package that the project needs' },
  {
    args: ['a', ...WEBSITE, '--controller-runtime', 'absent.tgz'],
    error: '--controller-runtime: absent.tgz does not exist',
  },
  { args: ['a', ...WEBSITE, '--defaulted'], error: "unknown option '--defaulted'" },
  { args: ['a', 'b', ...WEBSITE], error: 'too many arguments' },
])('refuses: $error', async ({ args, error }) => {
  const folder = createTemporaryFolder();
  expect(await runCommand(folder, args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(error) });
  expect(readdirSync(folder)).toEqual([]);
});

test('all invalid flags are reported at once', async () => {
  const { stderr } = await runCommand(createTemporaryFolder(), ['a', '--group', 'a', '--kind', 'b', '--version', 'c']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(3);
});

test('a folder with files is refused, but not one with only .git', async () => {
  const folder = createTemporaryFolder();
  for (const name of ['used', 'cloned/.git']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'used/notes.txt'), '');
  writeFileSync(join(folder, 'file'), '');
  const before = readFiles(folder);
  const used = await runCommand(folder, ['used', ...WEBSITE]);
  expect(used).toMatchObject({ code: 1, stderr: 'used is not empty (notes.txt): choose another folder\n' });
  expect(await runCommand(folder, ['file', ...WEBSITE])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is a file'),
  });
  expect(readFiles(folder)).toEqual(before);
  expect(await runCommand(folder, ['cloned', ...WEBSITE])).toMatchObject({ code: 0, stderr: '' });
});

test('the command prints the next steps', async () => {
  const folder = createTemporaryFolder();
  const { stdout } = await runCommand(folder, ['site', '--name', 'site-operator', ...WEBSITE]);
  expect(stdout).toBe(`
Wrote 19 files to site: the operator site-operator with the kind Website (example.com/v1alpha1).

Next:
  cd site
  npm install
  npm run manifests
  npm test
  make help
`);
});

test('a failed npm install leaves the complete project, and the command says how to continue', async () => {
  const folder = createTemporaryFolder();
  const env = { ...process.env, npm_config_offline: 'true', npm_config_cache: join(folder, 'empty-cache') };
  const { code, stdout, stderr } = await runCommand(folder, ['site', '--group', 'example.com', '--kind', 'Site'], env);
  expect(code).toBe(1);
  expect(stderr).toContain('npm install failed, see above. The files are complete.');
  expect(stdout).toMatch(
    /\nNext:\n {2}cd site\n {2}npm install\n {2}npm run manifests\n {2}npm test\n {2}make help\n$/,
  );
  expect(readdirSync(join(folder, 'site'))).toContain('package.json');
});

test('a project without and with webhooks, and with more kinds, compiles, has current manifests and passes its tests', async () => {
  const folder = createTemporaryFolder();
  const home = join(folder, 'my-operator');
  expect(await runCommand(folder, ['my-operator', ...WEBSITE])).toMatchObject({ code: 0, stderr: '' });
  symlinkSync(join(PROJECT, 'node_modules'), join(home, 'node_modules'));
  const generate = (...args: readonly string[]) =>
    run('node', [join(PROJECT, 'runtime/command.ts'), 'generate', 'cmd/manifests.ts', ...args], { cwd: home });
  const lint = () => run('biome', ['lint', '--error-on-warnings'], { cwd: home });
  await lint();
  await generate();
  expect(readdirSync(join(home, 'config')).toSorted()).toEqual([
    'crd',
    'kustomization.yaml',
    'manager',
    'metrics',
    'rbac',
    'samples',
  ]);
  const page = await runCommand(home, ['api', ...WEBSITE, '--kind', 'Page']);
  expect(page.stdout).toContain(
    'Added the kind Page (example.com/v1alpha1):\n  api/v1alpha1/page-types.ts\n  cmd/operator.ts\n',
  );
  expect(await runCommand(home, ['webhook', '--kind', 'Page', '--validation'])).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(
      'Added webhooks to the kind Page:\n  cmd/operator.ts\n  webhooks/page-validation.test.ts\n  webhooks/page-validation.ts\n',
    ),
  });
  expect(await runCommand(home, ['webhook', '--kind', 'Website'])).toMatchObject({ code: 0, stderr: '' });
  const imported = readFileSync(join(home, 'cmd/operator.ts'), 'utf8').match(/(?<=\/webhooks\/).*(?=\.ts)/g);
  expect(imported).toEqual(['page-validation', 'website-defaults', 'website-validation']);
  for (const kind of [
    ['--kind', 'HTTPRoute', '--webhook', '--version', 'v1'],
    ['--kind', 'API', '--scope', 'Cluster', '--webhook', '--group', 'acme.org'],
    ['--kind', 'JSON', '--webhook'],
  ])
    expect(await runCommand(home, ['api', ...WEBSITE, ...kind])).toMatchObject({ code: 0, stderr: '' });
  // The sources of controller-runtime need the strict options of this repository. Its declarations in a package do not.
  const strict = join(home, 'tsconfig.strict.json');
  writeFileSync(strict, JSON.stringify({ extends: join(PROJECT, 'tsconfig.json'), include: ['**/*.ts'] }));
  await run('tsc', ['-p', strict]);
  await generate();
  await generate('--check');
  await lint();
  expect(readdirSync(join(home, 'config/crd/bases')).toSorted()).toEqual([
    'acme.org_apis.yaml',
    'example.com_httproutes.yaml',
    'example.com_jsons.yaml',
    'example.com_pages.yaml',
    'example.com_websites.yaml',
  ]);
  expect(readdirSync(join(home, 'config'))).toContain('webhook');
  const output = await run('node', ['--test', '{api,controllers,webhooks}/**/*.test.ts'], { cwd: home });
  expect(output).toContain('fail 0');

  const before = readFiles(join(home, 'cmd'));
  const again = await runCommand(home, ['api', ...WEBSITE]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('website-types.ts, ') });
  const samePlural = await runCommand(home, ['api', ...WEBSITE, '--kind', 'Site', '--plural', 'websites']);
  expect(samePlural.stderr).toBe(
    'config/crd/bases/example.com_websites.yaml exists already: choose another kind or plural; to add a version, see docs/versions.md of controller-runtime\n',
  );
  expect(await runCommand(home, ['webhook', '--kind', 'Page', '--validation'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'webhooks/page-validation.test.ts, webhooks/page-validation.ts exists already: edit the files\n',
  });
  expect(readFiles(join(home, 'cmd'))).toEqual(before);
});

test('a missing marker is reported, and nothing is written', async () => {
  const folder = createTemporaryFolder();
  await runCommand(folder, ['.', '--name', 'my-operator', ...WEBSITE]);
  const operator = join(folder, 'cmd/operator.ts');
  writeFileSync(operator, readFileSync(operator, 'utf8').replace('  // +scaffold:kinds\n', ''));
  const before = readFiles(folder);
  expect(await runCommand(folder, ['api', ...WEBSITE, '--kind', 'Page'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'cmd/operator.ts: the line "// +scaffold:kinds" is missing. Add it where these lines belong: Page,\n',
  });
  expect(readFiles(folder)).toEqual(before);
});
