/**
 * Prints `412 passed, 0 failed` from the reports of vitest runs, and exits 1 unless something passed and nothing failed. Before
 * it a line names each test that failed: thousands of lines of other suites may stand between its report and the end.
 *
 *   node hack/count-tests.ts FAILED-STEPS REPORT.json…
 *
 * The runner itself, or another step, can fail with no test to blame; then one failure stands for it.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`no report of a test run: ${error instanceof Error ? error.message : error}`);
    return { testResults: [] };
  }
}

const [failedSteps = '0', ...files] = process.argv.slice(2);
const testResults = files.flatMap((file) => readReport(file).testResults);
const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
const passed = tests.filter(({ status }) => status === 'passed').length;
const failedTests = tests.filter(({ status }) => status === 'failed').length;
const skipped = tests.length - passed - failedTests;
/** Files that could not even be loaded hold no test. */
const failedFiles = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
const known = failedTests + failedFiles;
const failed = known === 0 && (Number(failedSteps) > 0 || passed === 0) ? 1 : known;

for (const { name, assertionResults } of testResults.filter((file) => file.status === 'failed')) {
  const file = relative(process.cwd(), name);
  const names = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
  for (const test of names.length > 0 ? names : ['could not be run']) console.log(`failed: ${file}: ${test}`);
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
