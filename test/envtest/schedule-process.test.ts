import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const BUNDLE = resolve(import.meta.dirname, '../../dist/manager.mjs');

/** The manager as users run it; these tests do not need an API server. */
function runManager(...args: readonly string[]) {
  return spawn(process.execPath, [BUNDLE, ...args], { env: { ...process.env, TZ: 'America/New_York' } });
}

function start(...args: readonly string[]) {
  return runManager('schedule', ...args);
}

async function waitForExit(child: ReturnType<typeof start>) {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exitCode };
}

test('prints the output of the README', async () => {
  const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  const [, schedule = '', flags = '', stdout] = /manager\.mjs schedule '(.*?)' (.*)\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(await waitForExit(start(schedule, ...flags.split(' ')))).toEqual({ exitCode: 0, stderr: '', stdout });
});

test('prints a long output completely', async () => {
  const { stdout } = await waitForExit(start('* * * * *', '--time-zone=Asia/Tokyo', '-n=1000', '-o=json'));
  expect(JSON.parse(stdout)).toMatchObject({ next: { length: 1000 } });
});

test.each([['schedule', '* * * * *', '-n=1000'], ['--help']])(
  'exits without an error when its reader closes the pipe: %s',
  async (...args) => {
    const child = runManager(...args);
    child.stdout.destroy();
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  },
);
