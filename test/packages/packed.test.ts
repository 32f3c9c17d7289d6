import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { LIBRARIES } from '../../hack/packages/pack-package.ts';
import { readPages, withoutOuterLinks } from '../../hack/packages/pages.ts';
import { createPublishedManifest, type PackageManifest } from '../../hack/packages/published-manifest.ts';
import { LICENCES_FILE } from '../../hack/supply-chain/rolldown-plugin.ts';
import { createTemporaryFolder, createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { installPacked } from './install-packed.ts';
import { type Block, FRAGMENT_CONTEXT, getWord, parseBlocks, parseExample } from './page-blocks.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Files occupy whole blocks of most file systems. */
const BLOCK_BYTES = 4096;
/** Timeout for compiling, packing and installing, on a busy machine. */
const TIMEOUT_MS = 1_200_000;

const readManifest = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(join(PROJECT, folder, 'package.json'), 'utf8'));

const installations = createTemporaryFolderForFile();
/** Folder in which the package of a folder is installed. */
const getHome = (folder: string) => join(installations, folder, 'home');
/** Folder of the installed package. */
const getPackage = (folder: string) => join(getHome(folder), 'node_modules', readManifest(folder).name);
/** Paths by folder. */
const tarballs = new Map<string, string>();

beforeAll(async () => {
  for (const folder of LIBRARIES) {
    const output = join(installations, folder, 'output');
    for (const path of [getHome(folder), output]) mkdirSync(path, { recursive: true });
    tarballs.set(folder, await installPacked(folder, getHome(folder), output));
  }
}, TIMEOUT_MS);

describe.each(LIBRARIES)('%s, packed and installed into an empty folder', (folder) => {
  test('type-checks all examples', { timeout: TIMEOUT_MS }, async () => {
    const home = getHome(folder);
    const packedExamples = listFiles(getPackage(folder)).filter((file) => /\/examples\/.*\.ts$/.test(file));
    expect(await listTypeErrors(home, [...writeExamples(folder, home), ...packedExamples])).toEqual([]);
  });

  test('contains only JavaScript, source maps, types, documents and examples', async () => {
    const files = (await run('tar', ['-tzf', tarballs.get(folder) ?? ''])).trimEnd().split('\n');
    const pages = readPages(folder).map(({ path }) => `package/${path}`);
    expect(files).toEqual(expect.arrayContaining(['package/index.js', 'package/index.d.ts', ...pages]));
    const documents = ['package.json', 'LICENSE', LICENCES_FILE].map((name) => `package/${name}`).concat(pages);
    const isCode = (file: string) => /\.js(?:\.map)?$|\.d\.ts$|^package\/examples\/.*\.ts$/.test(file);
    expect(files.filter((file) => !isCode(file) && !documents.includes(file))).toEqual([]);
    const { exports } = readManifest(folder);
    const forOurTests = './testing' in exports ? /\.test\.|\/test-support\// : /\.test\.|\/testing\//;
    expect(files.filter((file) => forOurTests.test(file))).toEqual([]);
  });

  test('refuses to be packed from its sources', async () => {
    const pack = run('npm', ['pack', join(PROJECT, folder), '--pack-destination', createTemporaryFolder()]);
    await expect(pack).rejects.toThrow('make packages');
  });
});

// The example of api needs the operator: test/clients/api.test.ts runs it.
test.each(['schedule', 'runtime'])('the README example of %s prints the documented output', async (folder) => {
  const home = getHome(folder);
  const { code, output } = parseExample(readFileSync(join(PROJECT, folder, 'README.md'), 'utf8'));
  const file = join(home, 'example.mts');
  writeFileSync(file, code);
  expect(await run('node', [file], { cwd: home })).toBe(output);
});

test('cronjob-operator-api has short declarations, and names the fields of each kind in them', async () => {
  const declarations = listFiles(getPackage('api')).filter((file) => file.endsWith('.d.ts'));
  const bytes = declarations.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(100_000); // with the fields of a Job template in each type: 1.7 MB
  const file = join(getHome('api'), 'library.mts');
  const source = (field: string) => `
    import { LiveClient } from 'controller-runtime';
    import { RecordingTransport } from 'controller-runtime/testing';
    import { CronJob, CronJobRun, CronJobV2, defaultCronJob, validateCronJob } from 'cronjob-operator-api';

    export const client = new LiveClient(new RecordingTransport(), { fieldManager: 'a' });
    export const key = { namespace: 'a', name: 'b' };
    const jobTemplate = { spec: { template: { spec: { containers: [{ name: 'a', image: 'b' }] } } } };
    export const created = client.create(CronJob, { metadata: key, spec: { schedule: '@hourly', jobTemplate } });
    export const run = client.create(CronJobRun, { metadata: key, spec: { cronJobName: 'b', manual: {} } });
    export const version2 = client.create(CronJobV2, { metadata: key, spec: { schedule: { minute: '5' }, jobTemplate } });
    export const schedule = created.then((cronJob: CronJob): string => cronJob.spec.${field});
    export const minute = version2.then((cronJob: CronJobV2) => cronJob.spec.schedule.minute);
    export const faults = validateCronJob(defaultCronJob({ spec: {} }));
    export const jobs = run.then(({ status }) => status?.jobs?.map(({ result }) => result));
  `;
  writeFileSync(file, source('schedule'));
  expect(await listTypeErrors(getHome('api'), [file], ['--declaration', '--emitDeclarationOnly'])).toEqual([]);
  writeFileSync(file, source('shedule'));
  expect(await listTypeErrors(getHome('api'), [file])).toEqual([
    expect.stringContaining("Property 'shedule' does not exist on type 'CronJobSpec'"),
  ]);
});

test('a fresh operator installs at most 45 packages with 25 MB, without client-node and prom-client', async () => {
  const home = getHome('runtime');
  const [, ...packages] = (await run('npm', ['ls', '--all', '--parseable'], { cwd: home })).trimEnd().split('\n');
  expect(packages.length).toBeGreaterThan(20);
  expect(packages.length).toBeLessThanOrEqual(45);
  expect(packages.filter((path) => /@kubernetes|prom-client|bintrees/.test(path))).toEqual([]);
  const sizes = listFiles(join(home, 'node_modules')).map((file) => statSync(file).size);
  const diskBytes = sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES, 0);
  expect(diskBytes / 1024 / 1024).toBeLessThanOrEqual(25);
});

test('stack traces of controller-runtime lead to its TypeScript', async () => {
  const program = "import { createManager } from 'controller-runtime'; createManager({ name: 'No label' });";
  const flags = ['--enable-source-maps', '--input-type=module', '--eval', program];
  await expect(run('node', flags, { cwd: getHome('runtime') })).rejects.toThrow(
    /throw new TypeError\(`name: [\s\S]*controller-runtime\/manager\/create-manager\.ts:\d+/,
  );
});

test('the copy of prom-client in controller-runtime renders metrics', async () => {
  const program = `
    import { MetricsRegistry } from 'controller-runtime';
    const registry = new MetricsRegistry();
    registry.addProcessMetrics();
    registry.counter({ name: 'visits_total', help: 'Visits.' }).add({});
    console.log((await registry.render()).body.match(/^(?:visits_total|process_cpu_seconds_total) /gm).join());
  `;
  const output = await run('node', ['--input-type=module', '--eval', program], { cwd: getHome('runtime') });
  expect(output).toBe('process_cpu_seconds_total ,visits_total \n');
});

test('a library for operators can declare what it makes of controller-runtime', async () => {
  const home = getHome('runtime');
  const source = `
    import { apps, core, createManager, defineKind, enqueueRequestForOwner, events, managerFlags } from 'controller-runtime';
    import { FakeApiServer, startTestManager, storedObject } from 'controller-runtime/testing';
    import { composeYaml } from 'controller-runtime/yaml';
    import { z } from 'zod';

    export const Site = defineKind({ group: 'example.com', version: 'v1', kind: 'Site', spec: z.object({ image: z.string() }) });
    export const { schema, rules } = Site;
    export const manager = createManager({ name: 'a' });
    export const { apiReader, cache, client, healthz, log, metrics, webhooks } = manager;
    export const counter = metrics.registry.counter({ name: 'a', help: 'a' });
    export const gauge = metrics.registry.observedGauge({ name: 'b', help: 'b' });
    export const rendered = metrics.registry.render();
    export const builder = manager.controller('a').for(Site).owns(apps.v1.deployments);
    export const controller = builder.reconcile(async () => {});
    export const informer = cache.informerFor(core.v1.pods);
    export const declarations = webhooks.for(Site, { validate: () => [] });
    export const check = healthz.run('a');
    export const flags = managerFlags({ name: 'a' });
    export const toOwner = enqueueRequestForOwner(Site);
    export const event = client.get(events.v1.events, { namespace: 'a', name: 'b' });
    export const nodes = composeYaml('a: 1', { start: 0, end: 4 });
    export const server = FakeApiServer.start();
    export const test = server.then((cluster) => startTestManager({ cluster, setUp: () => {} }));
    export const site = storedObject(Site, { metadata: { name: 'a' }, spec: { image: 'a' } });
  `;
  const file = join(home, 'library.mts');
  writeFileSync(file, source);
  expect(await listTypeErrors(home, [file], ['--declaration', '--emitDeclarationOnly'])).toEqual([]);
});

test('the pages of a package link only to its own files, or to the address of the project', () => {
  const page = {
    path: 'docs/a.md',
    text: '[own](../examples/b.ts), [c](../../docs/c.md#d) and [web](https://example.com)',
  };
  expect(withoutOuterLinks(page, 'runtime', undefined)).toBe(
    '[own](../examples/b.ts), c and [web](https://example.com)',
  );
  expect(withoutOuterLinks(page, 'runtime', 'https://example.com/a')).toBe(
    '[own](../examples/b.ts), [c](https://example.com/a/blob/main/docs/c.md#d) and [web](https://example.com)',
  );
});

test.each(['schedule', 'runtime'])('the packed pages of %s have no dead links', (folder) => {
  const root = getPackage(folder);
  for (const file of listFiles(root).filter((path) => path.endsWith('.md') && !path.includes('/node_modules/'))) {
    const targets = [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, target = '']) => target,
    );
    expect(targets.filter((target) => !existsSync(join(dirname(file), target)))).toEqual([]);
  }
});

test('the links in package.json lead to the given address of the project, and to nothing without one', () => {
  const manifest = { name: 'controller-runtime', version: '0.1.0', exports: {} };
  expect(createPublishedManifest(manifest, { folder: 'runtime' })).toEqual({
    name: 'controller-runtime',
    version: '0.1.0',
    exports: { './package.json': './package.json' },
  });
  expect(createPublishedManifest(manifest, { folder: 'runtime', homepage: 'https://example.com/a' })).toMatchObject({
    homepage: 'https://example.com/a/tree/main/runtime#readme',
    bugs: 'https://example.com/a/issues',
    repository: { type: 'git', url: 'git+https://example.com/a.git', directory: 'runtime' },
  });
});

test('controller-runtime shares the zod of its dependent, also a later one', async () => {
  const home = createTemporaryFolder();
  cpSync(getHome('runtime'), home, { recursive: true });
  const file = join(home, 'node_modules/zod/package.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: '4.99.0' }));
  rmSync(join(home, 'node_modules/.package-lock.json')); // npm's notes of what it has installed
  const { dependencies } = JSON.parse(await run('npm', ['ls', 'zod', '--json'], { cwd: home }));
  expect(dependencies['controller-runtime'].dependencies).toMatchObject({ zod: { version: '4.99.0' } });
});

/** Paths of all files in a folder and its subfolders, without links. */
function listFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** The compiler's errors for the files and all their imports, including the declarations of our packages and of others. */
async function listTypeErrors(
  home: string,
  files: readonly string[],
  emit: readonly string[] = ['--noEmit'],
): Promise<readonly string[]> {
  const options = [...emit, '--strict', '--module', 'nodenext', '--lib', 'es2024,dom', '--allowImportingTsExtensions'];
  const types = ['--typeRoots', join(PROJECT, 'node_modules/@types'), '--types', 'node'];
  const output = await run('tsc', [...options, ...types, ...files], { cwd: home }).catch(
    (error: Error) => error.message,
  );
  return output.split('\n').filter((line) => /: error TS\d+:/.test(line));
}

/** Writes each TypeScript block of the pages to a file named after its page and line, or as the page says. Returns their paths. */
function writeExamples(folder: string, home: string): readonly string[] {
  const examples = join(home, 'examples');
  mkdirSync(examples);
  writeFileSync(join(examples, 'package.json'), JSON.stringify({ type: 'module' }));
  const write = (name: string, text: string) => {
    const file = join(examples, name);
    writeFileSync(file, text);
    return file;
  };
  return readPages(folder).flatMap(({ path, text }) => {
    const blocks = parseBlocks(text).filter(({ language }) => language === 'ts');
    const isFragment = ({ words }: Block) => words.includes('fragment');
    const getExampleName = ({ line }: Block) => `${path.replaceAll('/', '-').replace('.md', '')}-${line}.ts`;
    return [
      ...blocks.map((block) => write(getWord(block, 'file') ?? getExampleName(block), `${block.text}\nexport {};\n`)),
      ...(blocks.some(isFragment) ? [write('context.d.ts', FRAGMENT_CONTEXT)] : []),
    ];
  });
}
