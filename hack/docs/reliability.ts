/** `make reliability`. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS_FOLDER, type Results } from '../../test/faults/support/results.ts';
import { PROJECT } from '../../test/support/manifests.ts';
import { withTables } from './reliability-tables.ts';

const PAGE = join(PROJECT, 'docs/reliability.md');
const files = existsSync(RESULTS_FOLDER) ? readdirSync(RESULTS_FOLDER) : [];
if (files.length === 0) {
  console.error('there are no results: run make test-faults first');
  process.exitCode = 1;
} else {
  const results = files.map((file): Results => JSON.parse(readFileSync(join(RESULTS_FOLDER, file), 'utf8')));
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), results));
  console.info(`docs/reliability.md has the results of ${results.map(({ suite }) => suite).join(', ')}`);
}
