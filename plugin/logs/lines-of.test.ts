import { expect, test } from 'vitest';
import { linesOf } from './lines-of.ts';

async function linesIn(...chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  const pieces = async function* () {
    yield* chunks;
  };
  return await Array.fromAsync(linesOf(pieces()));
}

const bytes = (text: string) => new TextEncoder().encode(text);

test('lines are whole, wherever the text is cut', async () => {
  const text = bytes('first\n\nzwölf Bücher 📚\nlast');
  for (let cut = 0; cut <= text.length; cut++) {
    expect(await linesIn(text.slice(0, cut), text.slice(cut))).toEqual(['first', '', 'zwölf Bücher 📚', 'last']);
  }
});

test('a text that ends with its last line has no empty one behind it', async () => {
  expect(await linesIn(bytes('one\n'), bytes('two\n'))).toEqual(['one', 'two']);
  expect(await linesIn()).toEqual([]);
});

test('bytes that are no text are shown as such', async () => {
  expect(await linesIn(Uint8Array.of(0x61, 0xff, 0x0a))).toEqual(['a\uFFFD']);
});
