/** Which samples show a field of the spec. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../config/samples');

/** Files in config/samples, by the name of each field that they set below `spec`. */
export function samplesByField(): ReadonlyMap<string, readonly string[]> {
  const files = globSync('*.yaml', { cwd: FOLDER, exclude: ['kustomization.yaml'] }).toSorted();
  const byField = new Map<string, string[]>();
  for (const file of files) {
    const { spec } = parse(readFileSync(join(FOLDER, file), 'utf8')) as { readonly spec: object }; // the API server takes it
    for (const field of Object.keys(spec)) byField.set(field, [...(byField.get(field) ?? []), file]);
  }
  return byField;
}
