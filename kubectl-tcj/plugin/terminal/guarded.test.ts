import { expect, test } from 'vitest';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { guarded } from './guarded.ts';
import { painted } from './paint.ts';

test('colours of the plugin reach the terminal, and those of anybody else do not', () => {
  const terminal = new CapturedTerminal('', { hasColors: true });
  const { out, err } = guarded(terminal);
  for (const write of [out, err]) write(`${painted('Failed', 'bad', terminal)} \u001b[31mOK\u001b[39m\n`);
  const shown = '\u001b[31mFailed\u001b[39m \\u{1b}[31mOK\\u{1b}[39m\n';
  expect(terminal.texts).toEqual({ out: shown, err: shown });
});
