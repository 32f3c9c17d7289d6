/**
 * Prints the failed tests and a line such as `412 passed, 0 failed` from the reports of vitest runs. Exits with 1 if a test failed or no
 * test passed.
 *
 *   node hack/count-tests.ts FAILED-STEPS REPORT.json…
 *
 * If the runner or another step failed without a failed test, the script counts one failure.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

function readTestFiles(report: string): readonly TestFile[] {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    console.error(`cannot read the test report: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

const [failedSteps = '0', ...reports] = process.argv.slice(2);
const files = reports.flatMap(readTestFiles);
const results = Map.groupBy(
  files.flatMap(({ assertionResults }) => assertionResults),
  ({ status }) => status,
);
const countByStatus = (status: string) => results.get(status)?.length ?? 0;
const failures = files
  .filter(({ status }) => status === 'failed')
  .flatMap(({ name, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    // The report contains no tests of a test file that cannot be loaded.
    return (failed.length > 0 ? failed : ['failed to load']).map((test) => `${relative('.', name)}: ${test}`);
  });
const passed = countByStatus('passed');
const skipped = [...results.values()].flat().length - passed - countByStatus('failed');
const failed = failures.length || (Number(failedSteps) > 0 || passed === 0 ? 1 : 0);

for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
