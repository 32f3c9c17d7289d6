/**
 * docs/book, executed exactly as written: a reader creates the project from the packed packages, copies the files of each step, and runs the
 * commands of each chapter on a real API server. The code blocks are parts of the reader's files. Other readers start at a later step.
 */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import type { PackagePage } from '../../hack/packages/pages.ts';
import { type RunningApiServer, startApiServer } from '../cluster/api-server.ts';
import { installAllPacked } from '../packages/install-packed.ts';
import { type Block, findUntestedBlocks, getWord, parseBlocks } from '../packages/page-blocks.ts';
import { listTestNames, parseNamedTests } from '../repository/named-tests.ts';
import { PROJECT } from '../support/manifests.ts';
import { createTemporaryFolder, createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { linkDevelopmentTools, PageReader } from './support/page-reader.ts';

/** Timeout: compiles, packs and installs the packages, and starts an API server. */
const TIMEOUT_MS = 1_200_000;
const BOOK = join(PROJECT, 'docs/book');
const FOLDER = 'cronjob-operator';
const WORDS = /^(?:part=\S+|test=(?:run|install|operator|refused|stop|start|none))$/;

const readPage = (path: string): PackagePage => ({ path, text: readFileSync(join(BOOK, path), 'utf8') });
const contents = readPage('README.md');
const chapters = readdirSync(BOOK)
  .filter((name) => /^\d\d-.*\.md$/.test(name))
  .toSorted()
  .map(readPage);
const steps = readdirSync(join(BOOK, 'steps')).toSorted();

const packages = createTemporaryFolderForFile();
const tarballs = createTemporaryFolderForFile();
let apiServer: RunningApiServer;
beforeAll(async () => {
  apiServer = await startApiServer();
  await installAllPacked(['create-controller-runtime', 'schedule', 'runtime'], packages, tarballs);
  linkDevelopmentTools(packages);
}, TIMEOUT_MS);
afterAll(() => apiServer?.stop());

/** Does what a block with `test=install` does, but without a network. */
async function install(block: Block, home: string): Promise<void> {
  const [, name] = /^npm install --save-dev (\S+?)@/.exec(block.text) ?? [];
  if (name !== undefined) return symlinkSync(join(PROJECT, 'node_modules', name), join(home, 'node_modules', name));
  await createProject(block, home);
  await run('npm', ['run', 'manifests'], { cwd: home });
}

/** As in chapter 1, but without the manifests, which a reader of a later chapter generates again. */
async function createProject({ text }: Block, home: string): Promise<void> {
  const [, command = ''] = /-- create-controller-runtime (.+?) --controller-runtime/s.exec(text) ?? [];
  const flags = command.replace('\\', '').trim().split(/\s+/);
  const program = join(packages, 'node_modules/.bin/create-controller-runtime');
  await run(program, [...flags, '--no-install'], { cwd: join(home, '..') });
  cpSync(join(packages, 'node_modules'), join(home, 'node_modules'), { recursive: true, verbatimSymlinks: true });
}

const listBlocks = ({ text }: PackagePage, instruction: string) =>
  parseBlocks(text).filter((block) => getWord(block, 'test') === instruction);

test('the table of contents lists each chapter, and each step has a chapter', () => {
  const links = [...contents.text.matchAll(/\]\((\d\d-[\w-]+\.md)\)/g)].map(([, path]) => path);
  const paths = chapters.map(({ path }) => path);
  expect([...new Set(links)].toSorted()).toEqual(paths);
  const numbers = paths.map((path) => path.slice(0, 2));
  expect(steps.filter((step) => !numbers.includes(step))).toEqual([]);
});

test.each([contents, ...chapters])('each command and each output has a test, or a reason why not: $path', (page) => {
  expect(findUntestedBlocks(page)).toEqual([]);
  expect(parseBlocks(page.text).flatMap(({ words }) => words.filter((word) => !WORDS.test(word)))).toEqual([]);
});

test('each fault has a test in the last step, and a test of the operator in this repository', () => {
  const rows = (chapters.at(-1)?.text ?? '')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , , shownBy]) => shownBy?.startsWith('`'));
  const faults = rows.map(([, fault = '']) => fault.charAt(0).toLowerCase() + fault.slice(1).replace(/\.$/, ''));
  const source = readFileSync(join(BOOK, 'steps/12/test/cluster/faults.test.ts'), 'utf8');
  expect(faults).toEqual([...source.matchAll(/^test\('(.+)', async/gm)].map(([, title]) => title));
  for (const { file, name } of rows.flatMap(([, , , shownBy = '']) => parseNamedTests(shownBy)))
    expect(listTestNames(file), `${file}: ${name}`).toContain(name);
});

test('the commands of the chapters create an operator that passes its tests', { timeout: TIMEOUT_MS }, async () => {
  const { kubeconfig, kubectl } = apiServer;
  await using reader = new PageReader(kubectl, { folder: FOLDER, install });
  const port = await findFreePort();
  for (const chapter of chapters) {
    const step = join(BOOK, 'steps', chapter.path.slice(0, 2));
    if (existsSync(step)) cpSync(step, reader.home, { recursive: true });
    await reader.follow(chapter, { kubeconfig, operator: kubeconfig, port });
    expectPartsOfFiles(chapter, reader.home);
  }
});

function expectPartsOfFiles({ path, text }: PackagePage, home: string): void {
  for (const block of parseBlocks(text).filter(({ language }) => language !== 'sh' && language !== 'text')) {
    const part = getWord(block, 'part') ?? expect.fail(`${path}:${block.line}: which file contains the block?`);
    expect(joinLines(readFileSync(join(home, part), 'utf8')), `${path}:${block.line}`).toContain(joinLines(block.text));
  }
}

/** The formatter removes the indentation of a block. */
const joinLines = (code: string) => code.replaceAll(/\s+/g, ' ');

// Step 09 only replaces the Dockerfile, which no check reads.
test.each(steps.filter((step) => step !== '09'))(
  'a new project with the steps up to %s passes its checks and unit tests',
  {
    timeout: TIMEOUT_MS,
  },
  async (last) => {
    const home = join(createTemporaryFolder(), FOLDER);
    const [creation = expect.fail('no command creates a project')] = chapters.flatMap((page) =>
      listBlocks(page, 'install'),
    );
    await createProject(creation, home);
    if (last >= '11') for (const block of listBlocks(contents, 'install')) await install(block, home);
    const [start = expect.fail('no command copies the steps')] = listBlocks(contents, 'start');
    const example = '03 04 05;';
    expect(start.text).toContain(example);
    const copied = steps.filter((step) => step <= last);
    const command = start.text.replace(example, `${copied.join(' ')};`).replace('<repository>', PROJECT);
    await run('bash', ['-euc', command], { cwd: home, env: { ...process.env, KUBECONFIG: apiServer.kubeconfig } });
  },
);
