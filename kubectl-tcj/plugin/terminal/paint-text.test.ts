import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { escapeOutput, paintText } from './paint-text.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const BAD = 'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: Cronjob\n';

/** The output of `kubectl tcj lint -` without a terminal. */
function lint(env: NodeJS.ProcessEnv): Promise<string> {
  const { FORCE_COLOR: _, NO_COLOR: __, ...rest } = process.env;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, 'lint', '-'], { env: { ...rest, ...env } }, (_error, stdout) =>
      resolve(stdout),
    );
    child.stdin?.end(BAD);
  });
}

test('colours only a terminal, unless FORCE_COLOR is set', async () => {
  expect(await lint({})).toContain(': error: kind: ');
  expect(await lint({ FORCE_COLOR: '1' })).toContain(': \u001b[31merror\u001b[39m: kind: ');
});

test('passes only its own colours on to the terminal', () => {
  const terminal = new CapturedTerminal('', { hasColors: true });
  const { out, err } = escapeOutput(terminal);
  for (const write of [out, err]) write(`${paintText('Failed', 'bad', terminal)} \u001b[31mOK\u001b[39m\n`);
  const shown = '\u001b[31mFailed\u001b[39m \\u{1b}[31mOK\\u{1b}[39m\n';
  expect(terminal.texts).toEqual({ out: shown, err: shown });
});
