import { isRecord } from '../../kubernetes/is-record.ts';
import { isString, type Mapping } from './kubeconfig-fields.ts';
import { readKubeConfigFile } from './read-kubeconfig-file.ts';

/** A cluster, a user or a context of a kubeconfig file. */
export interface KubeConfigEntry {
  readonly file: string;
  readonly location: string;
  readonly content: Mapping;
}

type EntriesByName = ReadonlyMap<string, KubeConfigEntry>;

export interface MergedKubeConfig {
  /** Names of the kubeconfig files, for error messages. */
  readonly source: string;
  readonly hasExistingFile: boolean;
  readonly currentContext: string | undefined;
  readonly contexts: EntriesByName;
  readonly clusters: EntriesByName;
  readonly users: EntriesByName;
}

/**
 * Merges kubeconfig files. If several files define the same name or set the current context, the first file takes
 * precedence. Ignores missing files. Throws a {@link ConfigurationError} if a file cannot be read.
 */
export function mergeKubeConfigs(files: readonly string[]): MergedKubeConfig {
  const contents = files.flatMap((file) => {
    const content = readKubeConfigFile(file);
    return content === undefined ? [] : [{ file, content }];
  });
  const mergeList = (listName: string, field: string): EntriesByName => {
    const entries = contents.flatMap(({ file, content }) => parseEntries(file, content[listName], listName, field));
    return new Map(entries.toReversed());
  };
  return {
    source: files.join(', '),
    hasExistingFile: contents.length > 0,
    currentContext: contents
      .map(({ content }) => getString(content, 'current-context'))
      .find((name) => name !== undefined),
    contexts: mergeList('contexts', 'context'),
    clusters: mergeList('clusters', 'cluster'),
    users: mergeList('users', 'user'),
  };
}

/** Returns `undefined` if the text is empty, as client-go does. */
export function getString(mapping: Mapping, fieldName: string): string | undefined {
  const text = mapping[fieldName];
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
    const { name, [field]: content } = isRecord(entry) ? entry : {};
    const location = `${file}: ${listName}[${index}].${field}`;
    return [isString(name) ? name : '', { file, location, content: isRecord(content) ? content : {} }];
  });
}
