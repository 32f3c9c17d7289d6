import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../hack/control-plane/run.ts';
import rootManifest from '../package.json' with { type: 'json' };
import runtimeManifest from '../runtime/package.json' with { type: 'json' };
import { createTemporaryFolder } from '../test/support/temporary-folder.ts';
import type { Api } from './names.ts';
import templateManifest from './template/package.json' with { type: 'json' };
import { listImportedNames, OPERATOR_FILE, renderApi, renderProject, renderWiring } from './template.ts';

const route: Api = {
  group: 'net.acme.org',
  version: 'v1beta2',
  kind: 'HTTPRoute',
  plural: 'routes',
  scope: 'Namespaced',
  webhooks: ['defaulting', 'validation'],
};

test('no name of the template remains in a project', () => {
  const files = renderProject('router', route);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      '.devcontainer/devcontainer.json',
      '.github/workflows/ci.yaml',
      '.gitignore',
      'Dockerfile',
      'Makefile',
      'api/v1beta2/http-route-types.ts',
      'config/samples/httproute.yaml',
    ]),
  );
  for (const [path, text] of files) expect(`${path}\n${text}`).not.toMatch(/website|v1alpha1/i);
  const { name } = JSON.parse(files.get('package.json') ?? '');
  expect(name).toBe('router');
  const types = files.get('api/v1beta2/http-route-types.ts');
  for (const line of ["group: 'net.acme.org'", "version: 'v1beta2'", "kind: 'HTTPRoute'", "plural: 'routes'"])
    expect(types).toContain(line);
});

test.each([
  { webhooks: [], files: [], lines: [] },
  { webhooks: ['defaulting'], files: ['http-route-defaults'], lines: ['addHTTPRouteDefaults(webhooks);'] },
  { webhooks: ['validation'], files: ['http-route-validation'], lines: ['addHTTPRouteValidation(webhooks);'] },
] as const)('a project with the webhooks $webhooks has their files and no other', ({ webhooks, files, lines }) => {
  const project = renderProject('router', { ...route, webhooks });
  const paths = [...project.keys()].filter((path) => path.startsWith('webhooks/'));
  expect(paths.toSorted()).toEqual(files.flatMap((file) => [`webhooks/${file}.test.ts`, `webhooks/${file}.ts`]));
  const operator = project.get(OPERATOR_FILE) ?? '';
  expect(operator.match(/^ {2}add.*\(webhooks\);$/gm)?.map((line) => line.trim()) ?? []).toEqual(lines);
  expect(operator.includes('/webhooks/')).toBe(webhooks.length > 0);
});

test('an additional kind has its own files and lines only', () => {
  const paths = [...renderApi({ ...route, webhooks: [] }).keys()];
  expect(paths.toSorted()).toEqual([
    'api/v1beta2/http-route-types.ts',
    'config/samples/httproute.yaml',
    'controllers/http-route-controller.test.ts',
    'controllers/http-route-controller.ts',
    'test/cluster/httproute.test.ts',
  ]);
  expect(renderWiring({ ...route, webhooks: [] })).toEqual([
    {
      marker: '+scaffold:imports',
      lines: [
        "import { HTTPRoute } from '../api/v1beta2/http-route-types.ts';",
        "import { addHTTPRouteController } from '../controllers/http-route-controller.ts';",
      ],
    },
    { marker: '+scaffold:kinds', lines: ['  HTTPRoute,'] },
    { marker: '+scaffold:controllers', lines: ['  addHTTPRouteController(manager);'] },
    { marker: '+scaffold:webhooks', lines: [] },
  ]);
});

test('the template imports names that a kind must not have', () => {
  expect(listImportedNames()).toEqual(
    new Set([...listImportedNames(), 'Manager', 'ConfigMap', 'WebhookRegistrar', 'KINDS']),
  );
  expect(listImportedNames().has('Website')).toBe(false);
});

test('the template needs this version of controller-runtime, this Node and the tools of this repository', () => {
  const { engines, dependencies, devDependencies } = templateManifest;
  expect(dependencies['controller-runtime']).toBe(`^${runtimeManifest.version}`);
  expect(dependencies.zod).toBe(runtimeManifest.peerDependencies.zod);
  expect(engines).toEqual(rootManifest.engines);
  for (const [name, range] of Object.entries(devDependencies)) {
    const major = (rootManifest.devDependencies as Readonly<Record<string, string>>)[name]?.split('.')[0];
    expect(range).toMatch(new RegExp(`^\\^${major}\\.`));
  }
  const biome = `--package=@biomejs/biome@${rootManifest.devDependencies['@biomejs/biome']} -- biome`;
  for (const script of ['lint', 'fmt'] as const) expect(templateManifest.scripts[script]).toContain(biome);
});

test('npm would leave out the file .gitignore, so that the template has none', () => {
  const text = readFileSync(join(import.meta.dirname, 'template/_gitignore'), 'utf8');
  expect(renderProject('router', route).get('.gitignore')).toBe(text);
});

test('npm test ends when a test hangs and leaves a server open', async () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, 'api'));
  const file = `import { createServer } from 'node:net';
import { test } from 'node:test';
test('hangs', async () => {
  createServer().listen(0, '127.0.0.1');
  await new Promise(() => {});
});
`;
  writeFileSync(join(folder, 'api/hang.test.ts'), file);
  for (const script of ['test', 'test:cluster'] as const)
    expect(templateManifest.scripts[script]).toMatch(/ --test-timeout=180000 --test-force-exit /);
  const command = templateManifest.scripts.test.replace('=180000', '=1000');
  await expect(run('sh', ['-c', command], { cwd: folder })).rejects.toThrow('test timed out after 1000ms');
});
