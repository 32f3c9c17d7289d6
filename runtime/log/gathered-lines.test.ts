import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { nextTurn } from '../clock/in-turns.ts';
import { GatheredLines } from './gathered-lines.ts';

/** A stream, and each text that it got. */
function receiver(fails = false) {
  const texts: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      texts.push(text);
      done(fails ? new Error('closed pipe') : undefined);
    },
  });
  return { texts, stream };
}

test('the lines of one turn of the event loop are written together, in their order', async () => {
  const { texts, stream } = receiver();
  const lines = new GatheredLines(stream);
  lines.write('one\n');
  await Promise.resolve();
  lines.write('two\n');
  expect(texts).toEqual([]);
  await nextTurn();
  lines.write('three\n');
  await nextTurn();
  expect(texts).toEqual(['one\ntwo\n', 'three\n']);
});

test('what waits is written when it is ended', async () => {
  const { texts, stream } = receiver();
  const lines = new GatheredLines(stream);
  lines.write('one\n');
  await new Promise<void>((resolve) => lines.end(resolve));
  await nextTurn();
  expect(texts).toEqual(['one\n']);
});

test('a stream that fails is left to its owner', async () => {
  const { stream } = receiver(true);
  const errors: unknown[] = [];
  stream.on('error', (error) => errors.push(error.message));
  const lines = new GatheredLines(stream);
  for (const line of ['one\n', 'two\n']) {
    lines.write(line);
    await nextTurn();
  }
  await new Promise<void>((resolve) => lines.end(resolve));
  expect(errors).toEqual(['closed pipe']);
});

test('it leaves nothing behind at the process', async () => {
  const before = process.listenerCount('exit');
  const all = Array.from({ length: 20 }, () => new GatheredLines(receiver().stream));
  for (let turn = 0; turn < 3; turn++) {
    for (const lines of all) lines.write('line\n');
    await nextTurn();
  }
  expect(process.listenerCount('exit')).toBe(before);
});

test.each([
  ['exits', 'process.exit(3)'],
  ['dies of an error', 'throw new Error("unexpected")'],
])('what waits is written when the process %s', (_, end) => {
  const program = `
    import { GatheredLines } from ${JSON.stringify(new URL('./gathered-lines.ts', import.meta.url).href)};
    const lines = new GatheredLines(process.stderr);
    for (let line = 0; line < 2000; line++) lines.write('line ' + line + '\\n');
    ${end};`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const lines = stderr.split('\n').filter((line) => line.startsWith('line '));
  expect(lines).toEqual(Array.from({ length: 2000 }, (_, line) => `line ${line}`));
  expect(status).not.toBe(0);
});
