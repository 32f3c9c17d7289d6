/** Reads the files and folders in the arguments. */
import { createReadStream, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { detectEncoding } from 'controller-runtime/yaml';
import type { NamedText } from './lint-text.ts';

export type Input = ({ readonly kind: 'text' } & NamedText) | Unreadable;

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly name: string;
  /** The reason, in a few words. */
  readonly why: string;
}

/** Stands for the standard input. */
const STDIN = '-';

/** Maximum size of a file. The API server accepts objects of 3 MiB. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Yields the inputs one after another, in the given order; a folder in the order of its names. */
export async function* readInputs(
  names: readonly string[],
  readStdin: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Input> {
  for (const name of names) {
    if (name === STDIN) yield await readInput({ name: '<stdin>' }, readStdin);
    else yield* readPath(name);
  }
}

async function* readPath(path: string): AsyncGenerator<Input> {
  const kind = await getPathKind(path);
  if (kind !== 'folder') {
    yield kind === 'file'
      ? await readInput({ name: path }, () => createReadStream(path))
      : createUnreadable(path, kind);
    return;
  }
  let isEmpty = true;
  for await (const input of readFolder(path)) {
    isEmpty = false;
    yield input;
  }
  if (isEmpty) yield createUnreadable(path, 'the folder contains no *.yaml, *.yml or *.json files');
}

/** Also `file` for a pipe, such as from `<(helm template .)`. Any other value says why the path cannot be read. */
async function getPathKind(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() || found.isFIFO() ? 'file' : 'not a regular file';
  } catch (error) {
    return describeFileError(error);
  }
}

/** Skips hidden files and folders, links to folders, which could form a cycle, and everything else that is not a file. */
async function* readFolder(folder: string): AsyncGenerator<Input> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    yield createUnreadable(folder, describeFileError(error));
    return;
  }
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* readFolder(path);
    else if (/\.(?:ya?ml|json)$/.test(entry.name) && (await isFile(entry, path))) {
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
  named: Pick<NamedText, 'name' | 'isFromFolder'>,
  read: () => AsyncIterable<Uint8Array>,
): Promise<Input> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of read()) {
      parts.push(part);
      length += part.length;
      if (length > MAX_BYTES)
        return createUnreadable(named.name, `the file is larger than ${MAX_BYTES / 1024 / 1024} MiB; split it`);
    }
  } catch (error) {
    return createUnreadable(named.name, describeFileError(error));
  }
  const bytes = Buffer.concat(parts);
  // As in kubectl, invalid UTF-8 becomes U+FFFD.
  return { kind: 'text', ...named, text: new TextDecoder(detectEncoding(bytes)).decode(bytes) };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the path does not exist',
  ENOTDIR: 'the path does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'the name is too long',
};

/** Throws an error that does not come from the file system. */
function describeFileError(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return REASONS[String(error.code)] ?? `the file cannot be read (${error.code})`;
}

function createUnreadable(name: string, why: string): Unreadable {
  return { kind: 'unreadable', name, why };
}
