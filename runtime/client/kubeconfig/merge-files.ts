/** Merges several kubeconfig files. */
import { isRecord } from '../../kubernetes/is-record.ts';
import { isString, type Mapping } from './fields.ts';
import { readKubeConfigFile } from './read-file.ts';

/** One entry of a list, and its position. */
export interface KubeConfigEntry {
  readonly file: string;
  readonly where: string;
  readonly value: Mapping;
}

type EntriesByName = ReadonlyMap<string, KubeConfigEntry>;

export interface MergedKubeConfig {
  /** Names the source in errors. */
  readonly source: string;
  /** Whether any of the files exists. */
  readonly exists: boolean;
  readonly currentContext: string | undefined;
  readonly contexts: EntriesByName;
  readonly clusters: EntriesByName;
  readonly users: EntriesByName;
}

/**
 * Merges the files: the first file that has a name, or the current context, wins. Ignores files that do not exist.
 * Throws a {@link ConfigurationError} when a file cannot be read.
 */
export function mergeKubeConfigs(files: readonly string[]): MergedKubeConfig {
  const contents = files.flatMap((file) => {
    const content = readKubeConfigFile(file);
    return content === undefined ? [] : [{ file, content }];
  });
  const mergeList = (list: string, field: string): EntriesByName => {
    const all = contents.flatMap(({ file, content }) => parseEntries(file, content[list], list, field));
    return new Map(all.toReversed());
  };
  return {
    source: files.join(', '),
    exists: contents.length > 0,
    currentContext: contents
      .map(({ content }) => getString(content, 'current-context'))
      .find((name) => name !== undefined),
    contexts: mergeList('contexts', 'context'),
    clusters: mergeList('clusters', 'cluster'),
    users: mergeList('users', 'user'),
  };
}

/** Returns `undefined` for an empty text, like client-go. */
export function getString(value: Mapping, name: string): string | undefined {
  const text = value[name];
  return isString(text) && text !== '' ? text : undefined;
}

function parseEntries(
  file: string,
  list: unknown,
  listName: string,
  field: string,
): readonly [string, KubeConfigEntry][] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry, index) => {
    const { name, [field]: value } = isRecord(entry) ? entry : {};
    const where = `${file}: ${listName}[${index}].${field}`;
    return [isString(name) ? name : '', { file, where, value: isRecord(value) ? value : {} }];
  });
}
