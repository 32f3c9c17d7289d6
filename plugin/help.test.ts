import { expect, test } from 'vitest';
import { CapturedTerminal } from '../test/support/captured-terminal.ts';
import { shellWords } from '../test/support/shell-words.ts';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run-command.ts';

async function said(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const terminal = new CapturedTerminal();
  const code = await runCommand(args, {
    terminal,
    now: new Date(0),
    signal: new AbortController().signal,
    connect: () => expect.unreachable('help needs no cluster'),
  });
  return { code, ...terminal.texts };
}

test.each(['--help', '-h', 'help'])(
  '%s lists every command and fits a screen of 40 lines and 120 columns',
  async (arg) => {
    const { code, out, err } = await said(arg);
    expect([code, err]).toEqual([0, '']);
    for (const { name, description } of COMMANDS)
      expect(out).toMatch(new RegExp(`^  ${name} +${description.slice(0, 30)}`, 'm'));
    const lines = out.split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
  },
);

test('without a command the help is shown, and the exit code is that of wrong usage', async () => {
  expect(await said()).toEqual({ ...(await said('--help')), code: 2 });
});

test.each(COMMANDS)('$name --help has its flags and examples, and fits a screen', async ({ name, flags, examples }) => {
  const { code, out } = await said(name, '--help');
  expect(code).toBe(0);
  for (const flag of flags) expect(out).toContain(`--${flag.name}`);
  for (const { line } of examples) expect(out).toContain(`kubectl tcj ${line}`);
  expect(out.split('\n').length).toBeLessThanOrEqual(40);
});

test.each(COMMANDS.flatMap(({ examples }) => examples))('the example "$line" is understood', async ({ line }) => {
  const words = shellWords(line);
  const connected = new Error('the command was understood');
  const terminal = new CapturedTerminal();
  const run = runCommand(words, {
    terminal,
    now: new Date(0),
    signal: new AbortController().signal,
    connect: () => {
      throw connected;
    },
  });
  // One that needs no cluster ends, perhaps without the file that the example names.
  await run.catch((error) => expect(error).toBe(connected));
  expect(terminal.texts.err).not.toContain('--help');
});
