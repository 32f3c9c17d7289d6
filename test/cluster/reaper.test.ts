import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { Reaper } from './reaper.ts';

function startSleeper(script = 'sleep 1000') {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { pid, exited, child };
}

test('ends the groups that it watches', async () => {
  const reaper = new Reaper({ graceMs: 200 });
  const { pid, exited } = startSleeper('sleep 1000 & wait');
  reaper.watch(pid);
  await reaper.close();
  expect(await exited).toEqual([null, 'SIGTERM']);
});

test('kills groups that do not end', async () => {
  const reaper = new Reaper({ graceMs: 200 });
  const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  await once(createInterface(child.stdout), 'line');
  reaper.watch(child.pid ?? 0);
  await reaper.close();
  expect(await exited).toEqual([null, 'SIGKILL']);
});

test('does not end forgotten groups', async () => {
  const reaper = new Reaper({ graceMs: 200 });
  const kept = startSleeper();
  const ended = startSleeper();
  reaper.watch(kept.pid);
  reaper.watch(ended.pid);
  reaper.forget(kept.pid);
  await reaper.close();
  await ended.exited;
  expect(kept.child.signalCode).toBeNull();
});

test('removes control groups with their children after their processes', async () => {
  const root = createTemporaryFolder();
  const groups = ['memory', 'pids'].map((name) => join(root, name));
  for (const group of groups) mkdirSync(join(group, 'kubepods/pod'), { recursive: true });
  mkdirSync(join(root, 'another'));
  const reaper = new Reaper({ graceMs: 200 });
  for (const group of groups) reaper.removeCgroup(group);
  await reaper.close();
  expect(readdirSync(root)).toEqual(['another']);
});

test('works after its process is killed, and removes the folder', async () => {
  const folder = join(createTemporaryFolder(), 'run');
  mkdirSync(folder);
  const { pid, exited } = startSleeper();
  const script = `
    const { Reaper } = await import(${JSON.stringify(join(import.meta.dirname, 'reaper.ts'))});
    const reaper = new Reaper({ graceMs: 200 });
    reaper.removeFolder(${JSON.stringify(folder)});
    reaper.watch(${pid});
    console.log('watching');
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(owner.stdout), 'line');
  owner.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGTERM']);
  await expect.poll(() => existsSync(folder), { timeout: 240_000 }).toBe(false);
});
