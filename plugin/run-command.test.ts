import { FakeApiServer } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CapturedTerminal } from '../test/support/captured-terminal.ts';
import { tcjAt } from '../test/support/tcj-at.ts';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u200b';
const SHOWN = '\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}gnp.exe\\u{200b}';

test.each([
  { fault: { kind: 'error', code: 403, message: HOSTILE }, of: 'a refusal' },
  { fault: { kind: 'error', code: 500, message: HOSTILE }, of: 'a failure' },
  { fault: { kind: 'text', code: 502, text: HOSTILE }, of: 'a proxy' },
] as const)('the text of $of does not steer the terminal', async ({ fault }) => {
  await using server = await FakeApiServer.start();
  for (const args of [['list'], ['run', 'backup'], ['why', 'backup'], ['logs', 'backup'], ['import', 'backup']]) {
    const terminal = new CapturedTerminal('', { width: 80, hasColors: true });
    server.fail({}, fault);
    expect(await tcjAt(server, args, { terminal })).toBe(1);
    expect(terminal.texts).toEqual({ out: '', err: `kubectl tcj ${args[0]}: the API server: ${SHOWN}\n` });
  }
});

test.each([
  ['command', [HOSTILE]],
  ['argument', ['why', HOSTILE]],
  ['flag', ['why', 'a', `--${HOSTILE}`]],
  ['value', ['next', '--within', HOSTILE]],
])('a %s of the command line does not steer the terminal', async (_, args) => {
  await using server = await FakeApiServer.start();
  const terminal = new CapturedTerminal();
  expect(await tcjAt(server, args, { terminal })).toBeGreaterThan(0);
  expect(terminal.texts.err).toMatch(/^[\n\x20-\x7e]+$/);
});
