import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { runScheduleCommand as managerSchedule } from '../../../cmd/schedule-command.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { runCommand } from '../run-command.ts';

const NOW = new Date('2026-03-28T00:00:00Z');

async function schedule(...args: readonly string[]) {
  const terminal = new CapturedTerminal();
  const code = await runCommand(['schedule', ...args], {
    terminal,
    now: NOW,
    clock: new FakeClock(new Date(0)),
    signal: new AbortController().signal,
    connect: () => expect.unreachable('a schedule needs no cluster'),
  });
  return { exitCode: code, stdout: terminal.texts.out, stderr: terminal.texts.err };
}

test.each([
  [['30 2 * * *', '--time-zone', 'Europe/Berlin', '-n', '3']],
  [['@every 90m', '--from=2026-01-01T00:00:00Z', '-o=json']],
  [['0 0 31 2 *', '-o', 'text']],
  [['61 * * * *']],
  [['* * * * *', '--time-zone=nowhere']],
])('prints the same as the manager: %j', async (args) => {
  const { exitCode, stdout, stderr } = managerSchedule(args, NOW);
  expect(stdout + stderr).not.toBe('');
  expect(await schedule(...args)).toEqual({ exitCode, stdout, stderr: stderr.replace('manager', 'kubectl tcj') });
});

test.each([
  [
    ['* * * * *', '-n', '0'],
    '--count: "0" is not valid: use a whole number from 1 to 1000; see kubectl tcj schedule --help',
  ],
  [['* * * * *', '--from', 'noon'], '--from: "noon" is not valid: use an RFC 3339 time, such as'],
  [['*/7', '*', '*', '*', '*'], 'but got 5: */7, *, *, *, *; put the schedule in quotes: "*/7 * * * *"\n'],
  [['@every', '3h', '-n', '2'], '; put the schedule in quotes: "@every 3h"\n'],
  [
    ['30', '2', 'a.txt', 'b', 'c', 'd'],
    '; put the schedule in quotes: without quotes, the shell replaces * with the names of files',
  ],
])('rejects invalid values with exit code 2: %j', async (args, stderr) => {
  expect(await schedule(...args)).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringContaining(stderr) });
});
