/** Reads the files and folders from the command line. */
import { createReadStream, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { detectEncoding } from 'controller-runtime/yaml';
import type { NamedText } from './lint-text.ts';
import { mentionsCronJob } from './template-syntax.ts';

export type LintInput = ({ readonly kind: 'text' } & NamedText) | UnreadableInput;

export interface UnreadableInput {
  readonly kind: 'unreadable';
  readonly name: string;
  readonly reason: string;
}

const STDIN = '-';

/** The maximum size of a file. A file can contain many objects. The API server limits each object to 3 MiB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Yields the inputs in the order of the arguments. The files of a folder are sorted by name. */
export async function* readInputs(
  names: readonly string[],
  readStdin: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<LintInput> {
  for (const name of names) {
    if (name === STDIN) yield await readInput({ name: '<stdin>' }, readStdin);
    else yield* readPath(name);
  }
}

async function* readPath(path: string): AsyncGenerator<LintInput> {
  const kind = await getPathKindOrError(path);
  if (kind !== 'folder') {
    yield kind === 'file'
      ? await readInput({ name: path }, () => createReadStream(path))
      : createUnreadableInput(path, kind);
    return;
  }
  let isEmpty = true;
  for await (const input of readFolder(path)) {
    isEmpty = false;
    yield input;
  }
  if (isEmpty) yield createUnreadableInput(path, 'the folder contains no *.yaml, *.yml or *.json files');
}

/** Returns `folder`, `file` or an error message. A pipe, such as `<(helm template .)`, is a `file`. */
async function getPathKindOrError(path: string): Promise<string> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() || stats.isFIFO() ? 'file' : 'not a regular file';
  } catch (error) {
    return describeFileError(error);
  }
}

/** kustomize also reads a file without an extension. */
const MANIFEST_NAME = /\.(?:ya?ml|json)$|^Kustomization$/;

/** Skips hidden files, hidden folders, and links to folders, because links can form a cycle. */
async function* readFolder(folder: string): AsyncGenerator<LintInput> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    yield createUnreadableInput(folder, describeFileError(error));
    return;
  }
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* readFolder(path);
    else if (MANIFEST_NAME.test(entry.name) && (await isFile(entry, path))) {
      yield await readInput({ name: path, isFromFolder: true }, () => createReadStream(path));
    }
  }
}

async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // the target of the link does not exist
  }
}

async function readInput(
  source: Pick<NamedText, 'name' | 'isFromFolder'>,
  read: () => AsyncIterable<Uint8Array>,
): Promise<LintInput> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of read()) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_FILE_BYTES) break;
    }
  } catch (error) {
    return createUnreadableInput(source.name, describeFileError(error));
  }
  const text = decodeText(Buffer.concat(chunks));
  if (length <= MAX_FILE_BYTES) return { kind: 'text', ...source, text };
  // A large file in a repository is usually data.
  if (source.isFromFolder === true && !mentionsCronJob(text)) return { kind: 'text', ...source, text: '' };
  return createUnreadableInput(source.name, `the file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB; split it`);
}

/** As in kubectl, invalid UTF-8 becomes U+FFFD. */
function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

const FILE_ERROR_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the path does not exist',
  ENOTDIR: 'the path does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'the name is too long',
};

/** Rethrows errors that do not come from the file system. */
function describeFileError(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return FILE_ERROR_REASONS[String(error.code)] ?? `the file cannot be read (${error.code})`;
}

function createUnreadableInput(name: string, reason: string): UnreadableInput {
  return { kind: 'unreadable', name, reason };
}
