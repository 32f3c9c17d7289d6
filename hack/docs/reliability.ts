/** `make reliability`: updates docs/reliability.md. A table without new results stays unchanged. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultResults, RESULTS_FOLDER } from '../../test/faults/support/results.ts';
import { PROJECT } from '../../test/support/manifests.ts';
import { readPlantedFaults } from '../planted/planted-faults.ts';
import { replacePlantedFaults, replaceResults } from './reliability-tables.ts';

const PAGE = join(PROJECT, 'docs/reliability.md');
const files = existsSync(RESULTS_FOLDER) ? readdirSync(RESULTS_FOLDER) : [];
const results = files.map((file): FaultResults => JSON.parse(readFileSync(join(RESULTS_FOLDER, file), 'utf8')));
const page = replacePlantedFaults(readFileSync(PAGE, 'utf8'), readPlantedFaults());
writeFileSync(PAGE, results.length > 0 ? replaceResults(page, results) : page);
console.info(`docs/reliability.md has the planted faults, and the results of ${results.length} suites`);
