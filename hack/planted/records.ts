/** found-by.json: which suite finds which planted fault, and the smallest part of the suite that does. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { PlantedFault } from './patches.ts';
import type { Suite } from './suites.ts';

const record = z.strictObject({
  /** A name in the table of suites. */
  suite: z.string(),
  /** Arguments behind the command of the suite. All of it when absent. */
  part: z.array(z.string()).default([]),
  /** Besides that of the suite. */
  env: z.record(z.string(), z.string()).default({}),
});

export type FoundBy = Readonly<z.infer<typeof record>>;

/** By the name of the fault. Throws an Error that says what is wrong with the file. */
export function readRecords(
  path: string,
  faults: readonly Pick<PlantedFault, 'name'>[],
  suites: Readonly<Record<string, Suite>>,
): ReadonlyMap<string, FoundBy> {
  const parsed = z.record(z.string(), record).safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  const records = Object.entries(parsed.data);
  for (const [name, { suite }] of records) {
    if (!faults.some((fault) => fault.name === name)) throw new Error(`${path}: there is no fault ${name}`);
    if (!Object.hasOwn(suites, suite)) throw new Error(`${path}: ${name}: there is no suite ${suite}`);
  }
  return new Map(records);
}
