import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

/** Output and exit code of the script, for these reports (`undefined` for a missing file) and this number of failed steps. */
function count(reports: readonly unknown[], failedSteps = 0) {
  const folder = temporaryFolder();
  const files = reports.map((report, index) => {
    const file = join(folder, `${index}.json`);
    if (report !== undefined) writeFileSync(file, JSON.stringify(report));
    return file;
  });
  const script = join(import.meta.dirname, 'count-tests.ts');
  const { stdout, status } = spawnSync(process.execPath, [script, String(failedSteps), ...files], { encoding: 'utf8' });
  return [stdout, status];
}

function report(...files: { readonly status: string; readonly tests: readonly string[] }[]) {
  return {
    testResults: files.map(({ status, tests }) => ({
      name: join(process.cwd(), 'a/b.test.ts'),
      status,
      assertionResults: tests.map((status, index) => ({ status, fullName: `c d ${index}` })),
    })),
  };
}

const GREEN = { status: 'passed', tests: ['passed', 'passed'] };

test.each([
  {
    name: 'skipped tests are told',
    given: [report({ status: 'passed', tests: ['passed', 'skipped', 'todo'] })],
    want: ['1 passed, 0 failed, 2 skipped\n', 0],
  },
  {
    name: 'a failed test',
    given: [report(GREEN, { status: 'failed', tests: ['passed', 'failed'] })],
    want: ['failed: a/b.test.ts: c d 1\n3 passed, 1 failed\n', 1],
  },
  {
    name: 'a file that could not be loaded',
    given: [report(GREEN, { status: 'failed', tests: [] })],
    want: ['failed: a/b.test.ts: could not be run\n2 passed, 1 failed\n', 1],
  },
  {
    name: 'one of several reports is missing',
    given: [report(GREEN), undefined],
    failedSteps: 1,
    want: ['2 passed, 1 failed\n', 1],
  },
  { name: 'nothing ran', given: [report()], want: ['0 passed, 1 failed\n', 1] },
  { name: 'no report at all', given: [undefined], want: ['0 passed, 1 failed\n', 1] },
  { name: 'another step failed', given: [report(GREEN)], failedSteps: 1, want: ['2 passed, 1 failed\n', 1] },
])('$name', ({ given, failedSteps, want }) => {
  expect(count(given, failedSteps)).toEqual(want);
});
