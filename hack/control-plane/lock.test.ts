import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { withLock } from './lock.ts';
import { run } from './run.ts';

const RETRY = { retryIntervalMs: 1 };

function lockFile(): string {
  return join(temporaryFolder(), 'lock');
}

function waits(): { readonly onWait: (holder: string) => void; readonly holders: string[] } {
  const holders: string[] = [];
  return { holders, onWait: (holder) => holders.push(holder) };
}

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  return Number(await run('sh', ['-c', 'echo $$']));
}

test('one at a time works, the others wait and are told for whom', async () => {
  const file = lockFile();
  const { onWait, holders } = waits();
  const order: string[] = [];
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const first = withLock(file, { ...RETRY, onWait }, async () => {
    entered.resolve();
    await release.promise;
    order.push('first');
  });
  await entered.promise;
  const told = Promise.withResolvers<string>();
  const second = withLock(file, { ...RETRY, onWait: told.resolve }, async () => order.push('second'));
  expect(await told.promise).toBe(`process ${process.pid} on ${hostname()}`);
  release.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  expect(holders).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

test('is released when the work fails', async () => {
  const file = lockFile();
  const { onWait } = waits();
  await expect(withLock(file, { ...RETRY, onWait }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

test('takes over the lock of a process that is gone', async () => {
  const file = lockFile();
  writeFileSync(file, `${await deadPid()} ${hostname()}\n`);
  const { onWait, holders } = waits();
  await expect(withLock(file, { ...RETRY, onWait }, async () => 'done')).resolves.toBe('done');
  expect(holders).toEqual([]);
  expect(readdirSync(dirname(file))).toEqual([]);
});

test.each(['4711 another-host\n', ''])('takes over a lock that was not renewed for long: %j', async (content) => {
  const file = lockFile();
  writeFileSync(file, content);
  utimesSync(file, 0, 0);
  const { onWait } = waits();
  await expect(withLock(file, { ...RETRY, onWait }, async () => 'done')).resolves.toBe('done');
});

test('of many that find an abandoned lock, one works at a time', async () => {
  const file = lockFile();
  writeFileSync(file, `${await deadPid()} ${hostname()}\n`);
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withLock(file, { ...RETRY, onWait: () => undefined }, work)));
  expect(most).toBe(1);
});
