/** `make test-planted`. Ends with 1 when a fault was not found, and with 2 for bad flags. */
import { join } from 'node:path';
import { PROJECT } from '../../test/support/manifests.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { type PlantedFault, readPlantedFaults } from './patches.ts';
import { readRecords } from './records.ts';
import { PLANTED_RESULTS, savePlantedResults } from './results.ts';
import { tryAll } from './rounds.ts';
import { ScratchCopy } from './scratch-copy.ts';
import { SUITES } from './suites.ts';
import { Trials } from './trials.ts';

const FOLDER = join(PROJECT, 'test/planted');
const RECORDS = join(import.meta.dirname, 'found-by.json');
/** What a fault leaves unused does not matter. Later checks take a second. */
const CHECK = [
  ...['tsc', '--noEmit', '-p', '.', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false'],
  ...['--incremental', '--tsBuildInfoFile', 'coverage/planted.tsbuildinfo'],
];

function optionsOfProcess(all: readonly PlantedFault[]): Options {
  try {
    return parseOptions(process.argv.slice(2), all);
  } catch (error) {
    console.error(`test-planted: ${error instanceof Error ? error.message : error}\nsee --help for all flags`);
    process.exit(2);
  }
}

async function test(all: readonly PlantedFault[], { faults, searches }: Options): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const records = readRecords(RECORDS, all, SUITES);
  using copy = await ScratchCopy.of(PROJECT);
  const trials = new Trials({
    copy,
    suites: SUITES,
    check: CHECK,
    build: ['npm', 'run', '--silent', 'build'],
    onHealthyRun: (what) => console.info(`  without a fault: ${what}`),
    signal: interrupted.signal,
  });
  const options = { trials, suites: SUITES, records, searches, say: console.info, signal: interrupted.signal };
  const results = await tryAll(faults, options);
  const names = all.map(({ name }) => name);
  savePlantedResults(PLANTED_RESULTS, results, names);
  process.exitCode = results.filter(({ foundBy }) => foundBy !== undefined).length === faults.length ? 0 : 1;
}

const all = readPlantedFaults(FOLDER);
const options = optionsOfProcess(all);
if (options.showsHelp) console.info(USAGE);
else await test(all, options);
