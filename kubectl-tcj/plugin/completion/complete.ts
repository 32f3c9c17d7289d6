/**
 * Completes a command line in the protocol of cobra: one line per candidate, with a description after a tab, and a last line with a
 * number that says what the shell does with the candidates. kubectl calls `kubectl-tcj __complete WORD…`, and gets only candidates
 * that a shell reads unchanged.
 */
import { type Clock, withTimeout } from 'controller-runtime';
import type { Invocation } from '../command.ts';
import { isPlainWord } from '../command-line.ts';
import { COMMANDS } from '../commands.ts';
import { escapeUnprintable } from '../terminal/printable.ts';
import { type Candidate, type CursorPosition, findCursorPosition } from './cursor-position.ts';
import { listNames, type NameKind } from './names.ts';
import { COMPLETE, COMPLETE_QUOTING } from './verbs.ts';

/** Short, because the user is waiting to type on. */
const TIMEOUT_MS = 2000;

/** Directives for the shell: 0 completes files when no candidate matches, 4 does not. */
const FILES = ':0\n';
const NO_FILES = ':4\n';

type CompletionEnvironment = Pick<Invocation, 'connect'> & { readonly clock: Clock };

/** Whether the words request completion. */
export function isCompletionRequest([verb]: readonly string[]): boolean {
  return verb === COMPLETE || verb === COMPLETE_QUOTING;
}

/**
 * Never rejects, and takes at most two seconds: returns no candidates when the cluster does not respond.
 * @param words The words after the name of the program: the completion verb, then a command line; the last word is the one to
 * complete, and may be empty.
 */
export async function complete(
  [verb, ...words]: readonly string[],
  surroundings: CompletionEnvironment,
): Promise<string> {
  const { candidates, directive } = await findCandidates(words, surroundings);
  const fits = verb === COMPLETE_QUOTING ? (text: string) => escapeUnprintable(text) === text : isPlainWord;
  return `${candidates
    .filter(([text]) => fits(text))
    .map(formatCandidate)
    .join('')}${directive}`;
}

function formatCandidate(texts: Candidate): string {
  return `${texts
    .filter((text) => text !== undefined)
    .map((text) => escapeUnprintable(text))
    .join('\t')}\n`;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: typeof FILES | typeof NO_FILES;
}

async function findCandidates(words: readonly string[], surroundings: CompletionEnvironment): Promise<Completion> {
  const place = findCursorPosition(words, COMMANDS);
  const { values, prefix, before } = place;
  if (values === 'files') return { candidates: [], directive: FILES };
  const all = typeof values === 'string' ? await tryListNames(values, place, surroundings) : values;
  const candidates = all.filter(([text]) => text.startsWith(prefix) && !before.includes(text));
  return { candidates, directive: NO_FILES };
}

async function tryListNames(
  values: NameKind | 'anything',
  { flagValues, before }: CursorPosition,
  { clock, connect }: CompletionEnvironment,
): Promise<readonly Candidate[]> {
  if (values === 'anything') return [];
  try {
    return await withTimeout({ clock, timeoutMs: TIMEOUT_MS }, (signal) =>
      listNames(values, { flagValues, before, connect, signal }),
    );
  } catch {
    // Without a kubeconfig, rights or a response: a message would appear in the middle of the line that the user types.
    return [];
  }
}
