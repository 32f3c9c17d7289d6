import { FakeClock } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { CapturedTerminal } from '../../test/support/captured-terminal.ts';
import { shellWords } from '../../test/support/shell-words.ts';
import { COMMANDS } from './commands.ts';
import { getFirstSentence } from './help.ts';
import { runCommand } from './run-command.ts';

const connected = new Error('the command was understood');

async function runHelp(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const terminal = new CapturedTerminal();
  const clock = new FakeClock(new Date(0));
  const code = await runCommand(args, {
    terminal,
    now: clock.now(),
    clock,
    signal: new AbortController().signal,
    connect: () => {
      throw connected;
    },
  });
  return { code, ...terminal.texts };
}

/** Default size of a terminal. */
const SCREEN = { lines: 24, columns: 80 };

function fitsScreen(text: string): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(SCREEN.lines);
  expect(lines.filter(({ length }) => length > SCREEN.columns)).toEqual([]);
}

test.each(['--help', '-h', 'help'])('%s lists every command and fits a screen', async (arg) => {
  const { code, out, err } = await runHelp(arg);
  expect([code, err]).toEqual([0, '']);
  const lines = out.split('\n').map((line) => line.replace(/ +/g, ' '));
  for (const { name, description } of COMMANDS) expect(lines).toContain(` ${name} ${getFirstSentence(description)}`);
  fitsScreen(out);
});

test('prints the help without a command, with the exit code for wrong usage', async () => {
  expect(await runHelp()).toEqual({ ...(await runHelp('--help')), code: 2 });
});

describe.each(COMMANDS)('$name', ({ name, flags, examples }) => {
  test('--help has all flags that are not hidden and all examples, and fits a screen', async () => {
    const { code, out } = await runHelp(name, '--help');
    expect(code).toBe(0);
    for (const { name: flag, isHidden = false } of flags) expect(out.includes(`--${flag} `), flag).toBe(!isHidden);
    expect(examples).not.toEqual([]);
    for (const { pipedFrom = '', args } of examples) expect(out).toContain(`  ${pipedFrom}kubectl tcj ${args}\n`);
    fitsScreen(out);
  });

  test.each(examples)('accepts the example "$args"', async ({ args }) => {
    const run = runHelp(...shellWords(args));
    // `lint` and `schedule` need no cluster. `lint` fails, because the file in the example does not exist.
    const { err } = await run.catch((error) => {
      expect(error).toBe(connected);
      return { err: '' };
    });
    expect(err).not.toContain('--help');
  });
});

test('the help of completion explains how kubectl finds the completion of kubectl tcj', async () => {
  const { out } = await runHelp('completion', '--help');
  const words = out.replace(/\s+/g, ' ');
  for (const each of [
    'kubectl 1.26 and newer',
    'executable kubectl_complete-tcj is in PATH',
    'kubectl completion --help',
  ])
    expect(words).toContain(each);
});

test('--version prints the version of the project', async () => {
  expect(await runHelp('--version')).toEqual({ code: 0, out: `kubectl tcj ${packageJson.version}\n`, err: '' });
});
