/** Formats manifests as YAML. */
import { stringify } from 'yaml';

interface YamlOptions {
  /** Sorts the keys of every object, so that the text depends only on the content. Default: the order of the object. */
  readonly isSorted?: boolean;
}

/** One document for each manifest, without abbreviations. */
export function manifestYaml(manifests: readonly object[], { isSorted = false }: YamlOptions = {}): string {
  // kubectl reads YAML 1.1: there a bare `on` or `y` is a boolean, so such strings get quotes.
  const options = { version: '1.1', sortMapEntries: isSorted, lineWidth: 0, aliasDuplicateObjects: false } as const;
  return manifests.map((manifest) => `---\n${stringify(manifest, options)}`).join('');
}
