/** found-by.json: which suites find which planted fault, and the smallest parts of the suites that do. */
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

const records = z.union([record.transform((one) => [one]), z.array(record).min(1)]);

export type FoundBy = Readonly<z.infer<typeof record>>;

/** By the name of the fault: one, or several that are all to find it. Throws an Error that says what is wrong with the file. */
export function readRecords(
  path: string,
  faults: readonly Pick<PlantedFault, 'name'>[],
  suites: Readonly<Record<string, Suite>>,
): ReadonlyMap<string, readonly FoundBy[]> {
  const parsed = z.record(z.string(), records).safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  const byFault = Object.entries(parsed.data);
  for (const [name, foundBy] of byFault) {
    if (!faults.some((fault) => fault.name === name)) throw new Error(`${path}: there is no fault ${name}`);
    const unknown = foundBy.find(({ suite }) => !Object.hasOwn(suites, suite));
    if (unknown !== undefined) throw new Error(`${path}: ${name}: there is no suite ${unknown.suite}`);
  }
  return new Map(byFault);
}
