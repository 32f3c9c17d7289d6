/** The command line of `make test-planted`. */
import { parseArgs } from 'node:util';
import type { PlantedFault } from './patches.ts';

export const USAGE = `Usage: make test-planted ARGS="[--search] [fault…]"

Plants the faults of test/planted one by one in a copy of the project, and runs the suite that hack/planted/found-by.json has for it.

  fault     The name or the number of one: 12-job-of-any-cronjob-adopted, or 12. Default: all.
  --search  Tries all suites for a fault that has no record, or that its suite does not find, and prints what to record.
  --help    Shows this.`;

export interface Options {
  readonly faults: readonly PlantedFault[];
  readonly searches: boolean;
  readonly showsHelp: boolean;
}

/** Throws an Error that says what to give instead. */
export function parseOptions(args: readonly string[], all: readonly PlantedFault[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { search: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  const isAsked = ({ name }: PlantedFault) => positionals.some((asked) => isNameOf(asked, name));
  const unknown = positionals.find((asked) => !all.some(({ name }) => isNameOf(asked, name)));
  if (unknown !== undefined) throw new Error(`there is no fault "${unknown}": give names or numbers, see test/planted`);
  const faults = positionals.length === 0 ? all : all.filter(isAsked);
  return { faults, searches: values.search, showsHelp: values.help };
}

function isNameOf(asked: string, name: string): boolean {
  return asked === name || asked.padStart(2, '0') === name.slice(0, 2);
}
