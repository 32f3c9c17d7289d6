import { stringify } from 'yaml';

interface YamlOptions {
  /** Whether to sort the keys of every object. Default false. */
  readonly isSorted?: boolean;
}

/** Formats manifests as YAML with one document for each manifest. The YAML has no anchors or aliases. */
export function manifestYaml(manifests: readonly object[], { isSorted = false }: YamlOptions = {}): string {
  // kubectl reads YAML 1.1, where `on` and `y` without quotes are booleans.
  const options = { version: '1.1', sortMapEntries: isSorted, lineWidth: 0, aliasDuplicateObjects: false } as const;
  return manifests.map((manifest) => `---\n${stringify(manifest, options)}`).join('');
}
