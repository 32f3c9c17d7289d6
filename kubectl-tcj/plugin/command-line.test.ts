import fc from 'fast-check';
import { expect, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { addClusterFlags, formatCommandLine } from './command-line.ts';

/** Splits lines into words with a shell. */
async function wordsIn(shell: string, lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\n\\0'`).join('\n');
  const said = await run(shell, ['-c', script], { env: { ...process.env, HOME: '/home/of/me' } });
  return said.split('\n\0').map((words) => words.split('\0').slice(0, -1));
}

const SPECIAL = [
  ...['nightly-backup', 'Europe/Berlin', '2026-11-23T02:00:00+01:00', 'a=b,c!=d', '02:00', 'C:\\me', "it's", '"', '\\'],
  ...['$(touch x)', '`touch x`', '; touch x', '&', '|', '>x', '~', '~root', '*', '?', '[a]', '{a,b}', '#', '!!', '%1'],
  ...['=ls', 'a b', ' ', '\t', "'", "''", "\\'", '$HOME', '-', 'é', '日本', '^', '(a)', '<(a)', "\\\\'\\"],
];

test.each(['sh', 'bash'])('%s reads each word unchanged', async (shell) => {
  const text = fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ unit: 'grapheme-ascii', minLength: 1 }));
  const lists = [SPECIAL, ...fc.sample(fc.array(text, { minLength: 1, maxLength: 5 }), 300)];
  const read = await wordsIn(shell, lists.map(formatCommandLine));
  expect(read.slice(0, -1)).toEqual(lists);
});

test('quotes only words that need it, and empty words', () => {
  expect(formatCommandLine(['kubectl', 'tcj', 'why', 'nightly-backup', '-n', 'data', '--at', '02:00'])).toBe(
    'kubectl tcj why nightly-backup -n data --at 02:00',
  );
  expect(formatCommandLine(['a', ''])).toBe("a ''");
});

test('escapes a backslash outside of quotes, for fish', () => {
  expect(formatCommandLine(["a\\'b"])).toBe("'a'\\\\\\''b'");
});

test('adds the flags of the same cluster and user', () => {
  const flagValues = new Map([
    ['context', 'my cluster'],
    ['kubeconfig', "/home/me/it's mine"],
    ['namespace', 'data'],
    ['as', 'jane'],
    ['as-group', 'dev,ops'],
  ]);
  const flagLists = new Map([['as-group', ['dev', 'ops']]]);
  expect(addClusterFlags('kubectl describe pod a', { flagValues, flagLists })).toBe(
    "kubectl describe pod a --context 'my cluster' --kubeconfig '/home/me/it'\\''s mine' --as jane --as-group dev --as-group ops",
  );
  const none = { flagValues: new Map(), flagLists: new Map() };
  expect(addClusterFlags('kubectl describe pod a', none)).toBe('kubectl describe pod a');
});
