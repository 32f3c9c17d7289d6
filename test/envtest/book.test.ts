/**
 * docs/book, executed exactly as written: a reader creates the project from the packed packages, copies the files of each step, and runs the
 * commands of each chapter on a real API server. The code blocks are parts of the reader's files.
 */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFreePort } from '../../hack/control-plane/free-port.ts';
import { run } from '../../hack/control-plane/run.ts';
import type { PackagePage } from '../../hack/packages/pages.ts';
import { startApiServer } from '../cluster/api-server.ts';
import { installAllPacked } from '../packages/install-packed.ts';
import { type Block, getWord, parseBlocks } from '../packages/page-blocks.ts';
import { PROJECT } from '../support/manifests.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { linkDevelopmentTools, PageReader } from './support/page-reader.ts';

/** Timeout: compiles, packs and installs the packages, and starts an API server. */
const TIMEOUT_MS = 1_200_000;
const BOOK = join(PROJECT, 'docs/book');
const WORDS = /^(?:part=\S+|test=(?:run|install|operator|refused|stop))$/;

const chapters: readonly PackagePage[] = readdirSync(BOOK)
  .filter((name) => /^\d\d-.*\.md$/.test(name))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(BOOK, path), 'utf8') }));

/** As in chapter 1, but without a network. */
async function install({ text }: Block, home: string): Promise<void> {
  const packages = createTemporaryFolder();
  await installAllPacked(['create-controller-runtime', 'schedule', 'runtime'], packages, createTemporaryFolder());
  linkDevelopmentTools(packages);
  const [, command = ''] = /-- create-controller-runtime (.+?) --controller-runtime/s.exec(text) ?? [];
  const flags = command.replace('\\', '').trim().split(/\s+/);
  const program = join(packages, 'node_modules/.bin/create-controller-runtime');
  await run(program, [...flags, '--no-install'], { cwd: join(home, '..') });
  symlinkSync(join(packages, 'node_modules'), join(home, 'node_modules'));
  await run('npm', ['run', 'manifests'], { cwd: home });
}

test('the table of contents lists each chapter, and each step has a chapter', () => {
  const contents = readFileSync(join(BOOK, 'README.md'), 'utf8');
  const links = [...contents.matchAll(/\]\((\d\d-[\w-]+\.md)\)/g)].map(([, path]) => path);
  const paths = chapters.map(({ path }) => path);
  expect([...new Set(links)].toSorted()).toEqual(paths);
  const numbers = paths.map((path) => path.slice(0, 2));
  expect(readdirSync(join(BOOK, 'steps')).filter((step) => !numbers.includes(step))).toEqual([]);
});

test('the commands of the chapters create an operator that passes its tests', { timeout: TIMEOUT_MS }, async () => {
  const { kubeconfig, kubectl, stop } = await startApiServer();
  try {
    await using reader = new PageReader(kubectl, { folder: 'cronjob-operator', install });
    const port = await findFreePort();
    for (const chapter of chapters) {
      const step = join(BOOK, 'steps', chapter.path.slice(0, 2));
      if (existsSync(step)) cpSync(step, reader.home, { recursive: true });
      await reader.follow(chapter, { kubeconfig, operator: kubeconfig, port });
      expectPartsOfFiles(chapter, reader.home);
    }
  } finally {
    await stop();
  }
});

function expectPartsOfFiles({ path, text }: PackagePage, home: string): void {
  const blocks = parseBlocks(text);
  expect(blocks.flatMap(({ words }) => words.filter((word) => !WORDS.test(word)))).toEqual([]);
  for (const block of blocks.filter(({ language }) => language !== 'sh' && language !== 'text')) {
    const part = getWord(block, 'part') ?? expect.fail(`${path}:${block.line}: which file contains the block?`);
    expect(joinLines(readFileSync(join(home, part), 'utf8')), `${path}:${block.line}`).toContain(joinLines(block.text));
  }
}

/** The formatter removes the indentation of a block. */
const joinLines = (code: string) => code.replaceAll(/\s+/g, ' ');
