/** `make docs`: the server of the documentation site for the author of a page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from 'controller-runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { SITE_ENV } from './support/documentation-site.ts';

test.each([
  { action: 'Ctrl-C', signal: 'SIGINT', reachesGroup: true },
  { action: 'SIGTERM', signal: 'SIGTERM', reachesGroup: false },
] as const)('make docs serves a page, and $action ends all its processes', async ({ signal, reachesGroup }) => {
  const make = spawn('make', ['docs'], { detached: true, env: SITE_ENV, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = make.pid ?? 0;
  const isRunning = () => {
    try {
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
  };
  onTestFinished(() => {
    if (isRunning()) process.kill(-pid, 'SIGKILL');
  });
  const page = await fetch(`${await readAddress(make)}install/`);
  expect(await page.text()).toContain('<title>Installing | CronJob operator</title>');
  process.kill(reachesGroup ? -pid : pid, signal);
  await once(make, 'exit');
  await eventually(() => expect(isRunning()).toBe(false), { timeoutMs: 30_000 });
});

/** Reads the address that the server prints when it is ready. */
async function readAddress({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout ?? ([] as never) })) {
    const address = /Local\s.*?(http:\S+\/)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('make docs ended without an address');
}
