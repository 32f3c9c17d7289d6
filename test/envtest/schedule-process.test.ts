import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const BUNDLE = resolve(import.meta.dirname, '../../dist/manager.mjs');

/** The manager as users run it; what is asked of it here needs no API server. */
function manager(...args: readonly string[]) {
  return spawn(process.execPath, [BUNDLE, ...args], { env: { ...process.env, TZ: 'America/New_York' } });
}

function start(...args: readonly string[]) {
  return manager('schedule', ...args);
}

async function ended(child: ReturnType<typeof start>) {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exitCode };
}

test('answers, whatever the zone of the machine', async () => {
  const child = start('30 2 * * *', '--time-zone=Europe/Berlin', '--from=2026-03-07T00:00:00Z', '-n2');
  expect(await ended(child)).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `30 2 * * *  (Europe/Berlin)
At 02:30 every day.

Europe/Berlin                  UTC
Sat 2026-03-07T02:30:00+01:00  2026-03-07T01:30:00Z
Sun 2026-03-08T02:30:00+01:00  2026-03-08T01:30:00Z

Changes of the clock:
  2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00
  2026-10-25 02:30 runs twice: the clock goes back from 03:00 to 02:00
`,
  });
});

test('answers as the README shows', async () => {
  const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  const [, schedule = '', flags = '', stdout] = /manager\.mjs schedule '(.*?)' (.*)\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(await ended(start(schedule, ...flags.split(' ')))).toEqual({ exitCode: 0, stderr: '', stdout });
});

test('prints the whole of a long answer', async () => {
  const { stdout } = await ended(start('* * * * *', '--time-zone=Asia/Tokyo', '-n=1000', '-o=json'));
  expect(JSON.parse(stdout)).toMatchObject({ next: { length: 1000 } });
});

test.each([['schedule', '* * * * *', '-n=1000'], ['--help']])(
  'ends quietly when its reader has had enough: %s',
  async (...args) => {
    const child = manager(...args);
    child.stdout.destroy();
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  },
);

test('refuses with an exit code, and nothing on standard output', async () => {
  expect(await ended(start('61 * * * *'))).toMatchObject({ exitCode: 1, stdout: '' });
  expect(await ended(start('* * * * *', '-n=0'))).toMatchObject({ exitCode: 2, stdout: '' });
});
