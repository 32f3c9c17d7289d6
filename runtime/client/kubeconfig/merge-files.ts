/** Several kubeconfig files as one. */
import { isRecord } from '../../kubernetes/is-record.ts';
import { isText, type Mapping } from './fields.ts';
import { readKubeConfigFile } from './read-file.ts';

/** One entry of a list, and where it stands. */
export interface Entry {
  readonly file: string;
  readonly where: string;
  readonly value: Mapping;
}

type Entries = ReadonlyMap<string, Entry>;

export interface MergedKubeConfig {
  /** Says in errors where this comes from. */
  readonly source: string;
  /** Is there any of the files? */
  readonly exists: boolean;
  readonly currentContext: string | undefined;
  readonly contexts: Entries;
  readonly clusters: Entries;
  readonly users: Entries;
}

/**
 * Of each name, and of the current context, the first file that has it counts. Files that do not exist are passed over. Throws a
 * {@link ConfigurationError} when one cannot be read.
 */
export function mergeKubeConfigs(files: readonly string[]): MergedKubeConfig {
  const read = files.flatMap((file) => {
    const content = readKubeConfigFile(file);
    return content === undefined ? [] : [{ file, content }];
  });
  const entries = (list: string, field: string): Entries => {
    const all = read.flatMap(({ file, content }) => entriesIn(file, content[list], list, field));
    return new Map(all.toReversed());
  };
  return {
    source: files.join(', '),
    exists: read.length > 0,
    currentContext: read.map(({ content }) => textIn(content, 'current-context')).find((name) => name !== undefined),
    contexts: entries('contexts', 'context'),
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
  };
}

/** Absent when empty, as client-go has it. */
export function textIn(value: Mapping, name: string): string | undefined {
  const text = value[name];
  return isText(text) && text !== '' ? text : undefined;
}

function entriesIn(file: string, list: unknown, listName: string, field: string): readonly [string, Entry][] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry, index) => {
    const { name, [field]: value } = isRecord(entry) ? entry : {};
    const where = `${file}: ${listName}[${index}].${field}`;
    return [isText(name) ? name : '', { file, where, value: isRecord(value) ? value : {} }];
  });
}
