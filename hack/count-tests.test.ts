import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../test/support/temporary-folder.ts';

/** Output and exit code of the script, for these reports (`undefined` for a missing file) and this number of failed steps. */
function count(reports: readonly unknown[], failedSteps = 0) {
  const folder = createTemporaryFolder();
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

const PASSED = { status: 'passed', tests: ['passed', 'passed'] };

test.each([
  {
    name: 'counts skipped tests',
    reports: [report({ status: 'passed', tests: ['passed', 'skipped', 'todo'] })],
    want: ['1 passed, 0 failed, 2 skipped\n', 0],
  },
  {
    name: 'reports a failed test',
    reports: [report(PASSED, { status: 'failed', tests: ['passed', 'failed'] })],
    want: ['failed: a/b.test.ts: c d 1\n3 passed, 1 failed\n', 1],
  },
  {
    name: 'reports a file that failed to load',
    reports: [report(PASSED, { status: 'failed', tests: [] })],
    want: ['failed: a/b.test.ts: failed to load\n2 passed, 1 failed\n', 1],
  },
  {
    name: 'counts a missing report as a failure',
    reports: [report(PASSED), undefined],
    failedSteps: 1,
    want: ['2 passed, 1 failed\n', 1],
  },
  { name: 'fails when no test ran', reports: [report()], want: ['0 passed, 1 failed\n', 1] },
  { name: 'fails without a report', reports: [undefined], want: ['0 passed, 1 failed\n', 1] },
  {
    name: 'fails when another step failed',
    reports: [report(PASSED)],
    failedSteps: 1,
    want: ['2 passed, 1 failed\n', 1],
  },
])('$name', ({ reports, failedSteps, want }) => {
  expect(count(reports, failedSteps)).toEqual(want);
});
