import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';

const PLUGIN = join(import.meta.dirname, '../main.ts');

function lint(input: string) {
  return spawn(process.execPath, [PLUGIN, 'lint', input], { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('Ctrl-C ends lint while it waits for a pipe', async () => {
  const pipe = join(createTemporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const child = lint(pipe);
  const ended = once(child, 'exit');
  // `open` resolves when `lint` starts to read the pipe.
  const writer = await open(pipe, 'w');
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
  await writer.close();
});

test('Ctrl-C ends lint while it works', async () => {
  const child = lint('-');
  const ended = once(child, 'exit');
  // The text is larger than the buffer of a pipe, so the write ends only after `lint` has started to read.
  const text = `[${'a: [b],'.repeat(1_000_000)}]`;
  await new Promise<void>((resolve) => child.stdin.end(text, () => resolve()));
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});
