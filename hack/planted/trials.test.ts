import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../control-plane/run.ts';
import type { EndedRun } from './bounded-run.ts';
import type { Finding } from './findings.ts';
import { tryAll } from './rounds.ts';
import { ScratchCopy } from './scratch-copy.ts';
import type { Suite } from './suites.ts';
import { Trials } from './trials.ts';

const PATCH = `--- a/answer.txt
+++ b/answer.txt
@@ -1 +1 @@
-right
+wrong
`;

/** A project with a file `answer.txt`, a package and a workspace; and beside it a patch that changes the answer. */
async function project(): Promise<{
  folder: string;
  fault: { name: string; path: string; fault: string; harm: string };
}> {
  const parent = mkdtempSync(join(tmpdir(), 'planted-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'project');
  for (const path of ['work', 'node_modules/package']) mkdirSync(join(folder, path), { recursive: true });
  symlinkSync('../work', join(folder, 'node_modules/workspace'));
  for (const name of ['answer.txt', 'work/new.txt']) writeFileSync(join(folder, name), 'right\n');
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
  await run('git', ['init', '--quiet'], { cwd: folder });
  await run('git', ['add', 'answer.txt'], { cwd: folder });
  const path = join(parent, '01-wrong.patch');
  writeFileSync(path, PATCH);
  return { folder, fault: { name: '01-wrong', path, fault: 'The answer is wrong.', harm: 'All.' } };
}

/** Prints the answer, or ends as `command` does; right is not found, wrong is found. */
function suite(overrides: Partial<Suite> = {}): Suite {
  return {
    title: 'answers',
    command: ['cat', 'answer.txt'],
    env: {},
    needsBundle: false,
    timeoutMs: 60_000,
    parts: [[]],
    judge: judged,
    ...overrides,
  };
}

function judged({ code, output, ended }: EndedRun): Finding {
  if (code !== 0) return { kind: 'Error', reason: ended ?? output };
  return output.startsWith('right') ? { kind: 'NotFound' } : { kind: 'Found', failure: output.trim() };
}

async function scene(suites: Readonly<Record<string, Suite>>, check: readonly string[] = ['true']) {
  const { folder, fault } = await project();
  const copy = await ScratchCopy.of(folder);
  onTestFinished(() => copy[Symbol.dispose]());
  const healthyRuns: string[] = [];
  const { signal } = new AbortController();
  const onHealthyRun = (what: string) => healthyRuns.push(what);
  const trials = new Trials({ copy, suites, check, build: ['cp', 'answer.txt', 'bundle.txt'], onHealthyRun, signal });
  const lines: string[] = [];
  const rounds = { trials, suites, say: (line: string) => lines.push(line.replace(/\d+ s/, '… s')), signal };
  return { folder, fault, copy, trials, healthyRuns, lines, rounds };
}

const BY = { suite: 'answers', part: [], env: {} };

test('a suite that fails with the fault and passes without it has found it', async () => {
  const { folder, fault, copy, trials, healthyRuns } = await scene({ answers: suite() });
  const found = { kind: 'Found', by: BY, failure: 'wrong', seconds: expect.any(Number) };
  expect([await trials.try(fault, BY), await trials.try(fault, BY)]).toEqual([found, found]);
  expect(healthyRuns).toEqual(['answers']);
  expect([copy.folder, folder].map((each) => readFileSync(join(each, 'answer.txt'), 'utf8'))).toEqual([
    'right\n',
    'right\n',
  ]);
});

test('the bundle is of the code with the fault', async () => {
  const { fault, trials } = await scene({ answers: suite({ needsBundle: true, command: ['cat', 'bundle.txt'] }) });
  expect(await trials.try(fault, BY)).toMatchObject({ kind: 'Found' });
});

test.each<[string, Partial<Suite>, object]>([
  ['passes with the fault', { command: ['echo', 'right'] }, { kind: 'NotFound' }],
  [
    'fails without the fault too',
    { command: ['echo', 'bad'] },
    { reason: expect.stringContaining('not pass either: bad') },
  ],
  ['cannot start', { command: ['no-such-program'] }, { reason: expect.stringContaining('cannot start') }],
  ['breaks', { command: ['cat', 'missing.txt'] }, { reason: expect.stringContaining('missing.txt') }],
  ['hangs', { command: ['sleep', '60'], timeoutMs: 100 }, { reason: 'did not end within 0.1 s' }],
])('a suite that %s has found nothing', async (_, overrides, expected) => {
  const { fault, trials } = await scene({ answers: suite(overrides) });
  expect(await trials.try(fault, BY)).toMatchObject({ kind: 'Error', ...expected });
});

test('a fault that does not compile is an error', async () => {
  const { fault, trials } = await scene({ answers: suite() }, ['grep', '-c', 'right', 'answer.txt']);
  expect(await trials.try(fault, BY)).toEqual({ kind: 'Error', reason: 'grep -c right answer.txt: ended with 1: 0' });
});

test('a patch that does not fit ends everything', async () => {
  const { fault, trials } = await scene({ answers: suite() });
  writeFileSync(fault.path, PATCH.replace('-right', '-left'));
  await expect(trials.try(fault, BY)).rejects.toThrow('patch does not apply');
});

test('the copy has new files, and links to its own workspaces', async () => {
  const { folder, copy } = await scene({});
  writeFileSync(join(copy.folder, 'work/new.txt'), 'changed');
  expect(readFileSync(join(copy.folder, 'node_modules/workspace/new.txt'), 'utf8')).toBe('changed');
  expect(readFileSync(join(folder, 'work/new.txt'), 'utf8')).toBe('right\n');
});

test('what is recorded is tried, and the last line says how many were found', async () => {
  const { fault, lines, rounds } = await scene({ answers: suite() });
  const other = { ...fault, name: '02-other' };
  const results = await tryAll([fault, other], { ...rounds, records: new Map([['01-wrong', [BY]]]), searches: false });
  expect(results).toEqual([
    { name: '01-wrong', fault: 'The answer is wrong.', foundBy: 'answers', failure: 'wrong' },
    { name: '02-other', fault: 'The answer is wrong.' },
  ]);
  expect(lines).toEqual([
    '1 of 2: 01-wrong',
    '  found by answers after … s: wrong',
    '2 of 2: 02-other',
    '  NOT FOUND: no suite is recorded for it',
    'not found: 02-other',
    '1 of 2 planted faults were found',
  ]);
});

test('a fault that one of its suites does not find is not found', async () => {
  const { fault, lines, rounds } = await scene({ answers: suite(), blind: suite({ command: ['echo', 'right'] }) });
  const records = new Map([['01-wrong', [BY, { ...BY, suite: 'blind' }]]]);
  expect(await tryAll([fault], { ...rounds, records, searches: false })).toEqual([
    { name: '01-wrong', fault: 'The answer is wrong.' },
  ]);
  expect(lines.slice(1, 3)).toEqual(['  found by answers after … s: wrong', '  NOT FOUND by blind (… s)']);
});

test('a search tries suite by suite, and says what to record: the test that fails', async () => {
  const failing = (run: EndedRun): Finding => {
    const finding = judged(run);
    return finding.kind === 'Found' ? { ...finding, test: 'is right' } : finding;
  };
  const { fault, lines, rounds } = await scene({
    blind: suite({ command: ['echo', 'right'], parts: [['a'], ['b']] }),
    answers: suite({ judge: failing, partOf: () => ['-u'] }),
  });
  await tryAll([fault], { ...rounds, records: new Map(), searches: true });
  expect(lines.slice(2)).toEqual([
    '  NOT FOUND by blind a (… s)',
    '  NOT FOUND by blind b (… s)',
    '  found by answers -u after … s: wrong',
    '  to be recorded: "01-wrong": {"suite":"answers","part":["-u"]}',
    '1 of 1 planted faults were found',
  ]);
});
