import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EndedRun } from './bounded-run.ts';
import { findingOfModel, findingOfSimulation, findingOfVitest } from './findings.ts';

const ended = (code: number | undefined, output = ''): EndedRun => ({ code, output, seconds: 1 });

test.each([
  [
    'a law is broken',
    1,
    'The year of seed 7 broke:\n  red/cron-1: a law\n  red/cron-1: another\n',
    'Found',
    'red/cron-1: a law',
  ],
  [
    'all laws are kept',
    0,
    'seed 7: every rule kept\n1 years from seed 7 on, 0 of them broke a rule\n',
    'NotFound',
    undefined,
  ],
  ['it breaks', 1, 'file.ts:1\nTypeError: no\n', 'Error', undefined],
  ['it is ended', undefined, '', 'Error', undefined],
])('in the simulation, when %s', (_, code, output, kind, failure) => {
  expect(findingOfSimulation(ended(code, output))).toMatchObject({ kind, ...(failure !== undefined && { failure }) });
});

test.each([
  [
    'a law is broken',
    1,
    'Allow, runs: 5 states: BROKEN\n  0. a pass\n  => c-1 runs a second time\n',
    'Found',
    'c-1 runs a second time',
  ],
  ['all laws are kept', 0, '5 states, 0 of 1 explorations broke a law\n', 'NotFound', undefined],
  ['it breaks', 1, 'file.ts:1\nTypeError: no\n', 'Error', undefined],
  ['it is ended', undefined, '', 'Error', undefined],
])('in the model, when %s', (_, code, output, kind, failure) => {
  expect(findingOfModel(ended(code, output))).toMatchObject({ kind, ...(failure !== undefined && { failure }) });
});

interface GivenTest {
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

function report(tests: readonly GivenTest[], file: object = { status: 'passed' }): string {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const assertionResults = tests.map((each, index) => ({ fullName: `test ${index}`, ...each }));
  writeFileSync(
    join(folder, 'report.json'),
    JSON.stringify({ testResults: [{ name: 'a.test.ts', assertionResults, ...file }] }),
  );
  return join(folder, 'report.json');
}

const PASSED = { status: 'passed' };
const failed = (message: string) => ({ status: 'failed', failureMessages: [message] });

test.each([
  [
    'a test fails',
    [PASSED, failed('AssertionError: 1 is not 2\n at x')],
    1,
    { kind: 'Found', failure: 'AssertionError: 1 is not 2', test: 'test 1' },
  ],
  ['all pass', [PASSED], 0, { kind: 'NotFound' }],
  ['all pass, but something throws besides', [PASSED], 1, { kind: 'Error', reason: 'ended with 1' }],
  ['no test fits', [{ status: 'skipped' }], 0, { kind: 'Error', reason: 'no test was run' }],
  ['a file is missing', [failed("Error: ENOENT: no such file or directory, open 'x'")], 1, { kind: 'Error' }],
  ['a name is missing', [failed('ReferenceError: x is not defined')], 1, { kind: 'Error' }],
])('in vitest, when %s', (_, tests, code, expected) => {
  expect(findingOfVitest(ended(code), report(tests))).toMatchObject(expected);
});

test('in vitest, a file that cannot be loaded is an error', () => {
  const path = report([], { status: 'failed', message: 'SyntaxError: no\nat x' });
  expect(findingOfVitest(ended(1), path)).toEqual({ kind: 'Error', reason: 'a.test.ts: SyntaxError: no' });
});

test('in vitest, a run that was ended, or has no report, is an error', () => {
  expect(findingOfVitest({ ...ended(undefined), ended: 'hangs' }, report([failed('x')]))).toMatchObject({
    kind: 'Error',
  });
  expect(findingOfVitest(ended(1, 'vitest: cannot start\n'), 'missing.json')).toEqual({
    kind: 'Error',
    reason: 'ended with 1: vitest: cannot start',
  });
});
