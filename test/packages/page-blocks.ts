/**
 * The code blocks of a package's pages, and how tests use them. The words after the language of a block, which GitHub does not show, set
 * this:
 *
 *     ts                 a separate module
 *     ts fragment        the same, with the names of the page's operator in scope: {@link FRAGMENT_CONTEXT}
 *     ts file=website.ts a file; also for blocks of other languages
 *     sh test=run        run by a test, which defines the other values of `test=`
 *     sh test=none why   not run, for the reason in the words after `test=none`
 */
import { type PackagePage, readPages } from '../../hack/packages/pages.ts';

export interface Block {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** Words after the language: `fragment`, `file=main.ts`. */
  readonly words: readonly string[];
  /** Why no test uses the block: the text after `test=none`. Empty for other blocks. */
  readonly reason: string;
  readonly text: string;
}

export function readPage(folder: string, path: string): PackagePage {
  const page = readPages(folder).find((each) => each.path === path);
  if (page === undefined) throw new Error(`${folder} has no ${path}`);
  return page;
}

export function parseBlocks(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\S+)(.*)\n([\s\S]*?)^```$/gm)].map((found) => {
    const [, language = '', info = '', code = ''] = found;
    const [words = '', reason = ''] = info.split(/(?<= test=none) /);
    const line = text.slice(0, found.index).split('\n').length;
    return { line, language, words: words.split(' ').filter((word) => word !== ''), reason, text: code };
  });
}

/** The value of a block's word: `main.ts` for `file=main.ts`. */
export function getWord({ words }: Block, name: string): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The values of `test=` whose block prints the output in the next block. */
const PRINTING = new Set(['run', 'stop', 'refused']);

/** The commands and outputs of a page that no test uses, without `test=none` and a reason. */
export function findUntestedBlocks({ path, text }: PackagePage): readonly string[] {
  const blocks = parseBlocks(text);
  const untested = blocks.filter((block, index) => {
    const instruction = getWord(block, 'test');
    if (instruction === 'none') return block.reason === '';
    const previous = blocks[index - 1];
    if (block.language === 'text') return !PRINTING.has((previous && getWord(previous, 'test')) ?? '');
    return block.language === 'sh' && instruction === undefined;
  });
  return untested.map(({ line, language }) => `${path}:${line}: a ${language} block without a test and a reason`);
}

export interface ReadmeExample {
  readonly code: string;
  readonly output: string;
}

/** The TypeScript block whose output the README shows after it. */
export function parseExample(readme: string): ReadmeExample {
  const [before, after] = readme.split(/\nThe (?:example|program) prints:\n/);
  const code = parseBlocks(before ?? '').at(-1);
  const output = parseBlocks(after ?? '')[0];
  if (code?.language !== 'ts' || output?.language !== 'text')
    throw new Error('the README has no example with its output');
  return { code: code.text, output: output.text };
}

/** Names that fragments need not import: from the operator of docs/first-operator.md, which is in the same folder. */
export const FRAGMENT_CONTEXT = `
import type { Manager } from 'controller-runtime';
import type * as controller from './controller.ts';
import type * as kind from './website.ts';
declare global {
  const manager: Manager;
  const Website: typeof kind.Website;
  type Website = kind.Website;
  const addController: typeof controller.addController;
  const buildDeployment: typeof controller.buildDeployment;
  const buildPage: typeof controller.buildPage;
}
`;
