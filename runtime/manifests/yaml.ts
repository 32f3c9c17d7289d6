/** The text of manifests. */
import { stringify } from 'yaml';

interface YamlOptions {
  /** Sorts the keys of every object, so that only what a manifest says can change its text. Default: as they stand. */
  readonly isSorted?: boolean;
}

/** One document for each manifest, without abbreviations. */
export function manifestYaml(manifests: readonly object[], { isSorted = false }: YamlOptions = {}): string {
  // YAML 1.1 is what kubectl reads: there a bare `on` or `y` is a boolean, so such strings get quotes.
  const options = { version: '1.1', sortMapEntries: isSorted, lineWidth: 0, aliasDuplicateObjects: false } as const;
  return manifests.map((manifest) => `---\n${stringify(manifest, options)}`).join('');
}
