/** The files that a command is given, and those in the folders it is given. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedText } from './lint-text.ts';

export type Input = ({ readonly kind: 'text' } & NamedText) | Unreadable;

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly name: string;
  /** Why, in a few words. */
  readonly why: string;
}

/** Stands for the standard input. */
const STDIN = '-';

/** One after the other, in the order in which they are given; a folder in the order of its names. */
export async function* inputsOf(names: readonly string[], readStdin: () => Promise<Uint8Array>): AsyncGenerator<Input> {
  for (const name of names) {
    if (name === STDIN) yield asText('<stdin>', await readStdin());
    else yield* inputsAt(name);
  }
}

async function* inputsAt(path: string): AsyncGenerator<Input> {
  try {
    if (!(await stat(path)).isDirectory()) {
      yield asText(path, await readFile(path));
      return;
    }
  } catch (error) {
    yield unreadable(path, error);
    return;
  }
  let isEmpty = true;
  for await (const input of inputsIn(path)) {
    isEmpty = false;
    yield input;
  }
  if (isEmpty) yield { kind: 'unreadable', name: path, why: 'the folder has no file *.yaml, *.yml or *.json' };
}

/** Neither hidden files and folders, nor links to folders, which could go round in circles. */
async function* inputsIn(folder: string): AsyncGenerator<Input> {
  let entries: Awaited<ReturnType<typeof entriesOf>>;
  try {
    entries = await entriesOf(folder);
  } catch (error) {
    yield unreadable(folder, error);
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* inputsIn(path);
    else if (/\.(?:ya?ml|json)$/.test(entry.name)) yield await inputOf(path);
  }
}

async function entriesOf(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function inputOf(path: string): Promise<Input> {
  try {
    return asText(path, await readFile(path));
  } catch (error) {
    return unreadable(path, error);
  }
}

function asText(name: string, bytes: Uint8Array): Input {
  try {
    return { kind: 'text', name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'unreadable', name, why: 'it is not UTF-8' };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
};

/** Throws what is no fault of the file system. */
function unreadable(name: string, error: unknown): Unreadable {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return { kind: 'unreadable', name, why: REASONS[String(error.code)] ?? String(error.code) };
}
