import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { withLock } from './lock.ts';

const RETRY = { retryIntervalMs: 1 };
const LOCK_MODULE = join(import.meta.dirname, 'lock.ts');

function lockFile(): string {
  return join(temporaryFolder(), 'lock');
}

/** A process that holds the lock until it is killed. */
async function holdingProcess(file: string) {
  const script = `import { withLock } from ${JSON.stringify(LOCK_MODULE)};
    await withLock(${JSON.stringify(file)}, { onWait() {} }, async () => {
      console.log('held');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('one at a time works, the others wait and are told for whom', async () => {
  const file = lockFile();
  const order: string[] = [];
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const neverTold = (holder: string) => expect.fail(`waited for ${holder}`);
  const first = withLock(file, { ...RETRY, onWait: neverTold }, async () => {
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
});

test('is released when the work fails', async () => {
  const file = lockFile();
  const onWait = () => expect.fail('waited');
  await expect(withLock(file, { ...RETRY, onWait }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(withLock(file, { ...RETRY, onWait }, async () => 'done')).resolves.toBe('done');
});

test('of many that wait for a process that is killed, one works at a time', async () => {
  const file = lockFile();
  const holder = await holdingProcess(file);
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  const told: string[] = [];
  const waiters = Array.from({ length: 8 }, () =>
    withLock(file, { ...RETRY, onWait: (name) => told.push(name) }, work),
  );
  await eventually(() => expect(told).toHaveLength(8));
  expect(new Set(told)).toEqual(new Set([`process ${holder.pid} on ${hostname()}`]));
  holder.kill('SIGKILL');
  await Promise.all(waiters);
  expect(most).toBe(1);
});

test('says which file it could not lock', async () => {
  const file = lockFile();
  mkdirSync(file);
  const result = withLock(file, { ...RETRY, onWait: () => undefined }, async () => 'done');
  await expect(result).rejects.toThrow(`open lock ${file}`);
});
