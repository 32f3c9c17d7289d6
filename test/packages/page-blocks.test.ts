import { expect, test } from 'vitest';
import { findUntestedBlocks, parseBlocks } from './page-blocks.ts';

const block = (info: string) => `\`\`\`${info}\na\n\`\`\`\n`;

test('each command and each output needs a test or a reason', () => {
  const infos = ['text', 'sh', 'sh test=none', 'text', 'sh test=none needs a network', 'text test=none why', 'ts'];
  expect(findUntestedBlocks({ path: 'a.md', text: infos.map(block).join('') })).toEqual([
    'a.md:1: a text block without a test and a reason',
    'a.md:4: a sh block without a test and a reason',
    'a.md:7: a sh block without a test and a reason',
    'a.md:10: a text block without a test and a reason',
  ]);
  const tested = ['sh test=run', 'text', 'sh test=refused', 'text', 'sh test=install'];
  expect(findUntestedBlocks({ path: 'a.md', text: tested.map(block).join('') })).toEqual([]);
});

test('a reason is not an instruction', () => {
  expect(parseBlocks(block('sh test=none needs a network'))).toMatchObject([
    { words: ['test=none'], reason: 'needs a network' },
  ]);
});
