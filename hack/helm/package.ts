/** `make helm`: lints the chart and packs it into dist/. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { provision } from '../control-plane/provision.ts';
import { run } from '../control-plane/run.ts';

const PROJECT = join(import.meta.dirname, '../..');
const CHART = join(PROJECT, 'charts/cronjob-operator');
const DIST = join(PROJECT, 'dist');

try {
  const { helm } = await provision(['helm']);
  process.stdout.write(await run(helm, ['lint', '--strict', CHART]));
  await mkdir(DIST, { recursive: true });
  process.stdout.write(await run(helm, ['package', CHART, '--destination', DIST]));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
