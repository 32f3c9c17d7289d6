/** `make verify`: every check of the sources, each with its name and time. All of them run, and all failures are shown. */
import { Progress } from './control-plane/progress.ts';
import { run } from './control-plane/run.ts';

/** Biome colours even what nobody sees. */
const COLORS = process.stdout.isTTY ? 'force' : 'off';

/** Name, and the command as one would type it. */
const CHECKS: readonly (readonly [name: string, command: string])[] = [
  ['format and lint', `biome ci --error-on-warnings --colors=${COLORS}`],
  ['types', 'tsc -p .'],
  ['layers', 'node hack/layers/check.ts'],
  ['dead code', 'knip'],
  [
    'every branch of the core is tested',
    'vitest run --project unit controllers/cronjob/ --coverage --reporter=default',
  ],
  ['generated files are up to date', 'node hack/generate.ts --check'],
  ['licences and SBOM of what is bundled', 'node hack/supply-chain/check.ts --check'],
];

const progress = new Progress(process.stdout);
const failed: string[] = [];
for (const [name, command] of CHECKS) {
  const step = progress.step(name);
  const [file = '', ...args] = command.split(' ');
  try {
    await run(file, args);
    step.done();
  } catch (error) {
    failed.push(name);
    step.failed(command);
    console.log(error instanceof Error ? error.message : error);
  }
}
if (failed.length > 0) {
  console.log(`\nverify: ${failed.length} of ${CHECKS.length} checks failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
