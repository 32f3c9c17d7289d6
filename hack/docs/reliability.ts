/** `make reliability`. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RESULTS_FOLDER, type Results } from '../../test/faults/support/results.ts';
import { PROJECT } from '../../test/support/manifests.ts';
import { PLANTED_RESULTS, readPlantedResults } from '../planted/results.ts';
import { withPlanted, withTables } from './reliability-tables.ts';

const PAGE = join(PROJECT, 'docs/reliability.md');
const files = existsSync(RESULTS_FOLDER) ? readdirSync(RESULTS_FOLDER) : [];
const results = files
  .filter((file) => file !== basename(PLANTED_RESULTS))
  .map((file): Results => JSON.parse(readFileSync(join(RESULTS_FOLDER, file), 'utf8')));
const planted = readPlantedResults(PLANTED_RESULTS);
if (results.length === 0 && planted.length === 0) {
  console.error('there are no results: run make test-faults or make test-planted first');
  process.exitCode = 1;
} else {
  // What there are no results of stays as it is.
  const page = readFileSync(PAGE, 'utf8');
  const withResults = results.length > 0 ? withTables(page, results) : page;
  writeFileSync(PAGE, planted.length > 0 ? withPlanted(withResults, planted) : withResults);
  const written = [...results.map(({ suite }) => suite), ...(planted.length > 0 ? ['planted faults'] : [])];
  console.info(`docs/reliability.md has the results of ${written.join(', ')}`);
}
