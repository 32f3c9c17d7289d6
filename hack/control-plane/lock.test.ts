import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { withLock } from './lock.ts';

test('releases the lock when the work fails', async () => {
  const file = join(createTemporaryFolder(), 'lock');
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(withLock(file, async () => 'done')).resolves.toBe('done');
});

test('runs the waiting processes one at a time after the holder was killed', async () => {
  const file = join(createTemporaryFolder(), 'lock');
  const script = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    await withLock(${JSON.stringify(file)}, async () => {
      console.log('held');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');

  let inside = 0;
  const counts: number[] = [];
  const waiters = Array.from({ length: 8 }, () =>
    withLock(file, async () => {
      counts.push(++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    }),
  );
  expect(counts).toEqual([]);
  holder.kill('SIGKILL');
  await Promise.all(waiters);
  expect(counts).toEqual(Array.from({ length: 8 }, () => 1));
});
