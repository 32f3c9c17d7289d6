/**
 * `make verify`: runs all checks of the sources, and prints the result and the duration of each check. A check that cannot run on this
 * machine is reported, but does not fail the run.
 */
import { Progress } from './control-plane/progress.ts';
import { run } from './control-plane/run.ts';
import { parseNotCheckedReason } from './supply-chain/check-verdict.ts';

/** By default, Biome prints colors even if the output is not a terminal. */
const COLORS = process.stdout.isTTY ? 'force' : 'off';

const CHECKS: readonly (readonly [name: string, command: string])[] = [
  ['format, lint and imports', `biome ci --error-on-warnings --colors=${COLORS}`],
  ['types', 'tsc -p .'],
  ['types of the UI', 'tsc -p kubectl-tcj/ui'],
  ['dead code', 'knip'],
  ['words of docs, comments, titles and messages', 'node hack/words/check.ts'],
  [
    'branch coverage of the core',
    'vitest run --project unit controllers/cronjob/ controllers/cronjobrun/ api/time api/v1/field-edits --coverage --reporter=default',
  ],
  ['generated files', 'node hack/generate.ts --check'],
  ['licences and SBOM', 'node hack/supply-chain/check.ts --check'],
  ['known vulnerabilities', 'node hack/supply-chain/audit.ts'],
  ['workflows', 'node hack/supply-chain/lint-workflows.ts'],
  // Takes minutes.
  ...(process.env['CI'] ? [['speed of a burst', 'make --silent bench-guard'] as const] : []),
];

const progress = new Progress(process.stdout);
const failedChecks: string[] = [];
const skippedChecks: string[] = [];
for (const [name, command] of CHECKS) {
  const step = progress.step(name);
  const [file = '', ...args] = command.split(' ');
  try {
    const reason = parseNotCheckedReason(await run(file, args));
    if (reason === undefined) step.done();
    else {
      skippedChecks.push(name);
      step.inconclusive(`not checked: ${reason}`);
    }
  } catch (error) {
    failedChecks.push(name);
    step.failed(command);
    console.log(error instanceof Error ? error.message : error);
  }
}
if (skippedChecks.length > 0) console.log(`\nverify: not checked: ${skippedChecks.join(', ')}`);
if (failedChecks.length > 0) {
  console.log(`\nverify: ${failedChecks.length} of ${CHECKS.length} checks failed: ${failedChecks.join(', ')}`);
  process.exitCode = 1;
}
