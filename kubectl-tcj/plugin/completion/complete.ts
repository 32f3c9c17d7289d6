/**
 * Completes a command line with the protocol of cobra. The output has one line per candidate, with a description after a tab. The
 * last line is a directive for the shell. kubectl calls `kubectl-tcj __complete WORD…` and receives only candidates that need no
 * quotes.
 */
import type { Clock } from 'controller-runtime';
import { withTimeout } from 'controller-runtime/internal';
import type { Invocation } from '../command.ts';
import { isPlainWord } from '../command-line.ts';
import { COMMANDS } from '../commands.ts';
import { escapeUnprintable } from '../terminal/escape-unprintable.ts';
import { COMPLETION_REQUEST, QUOTED_COMPLETION_REQUEST } from './completion-requests.ts';
import { type Candidate, type CursorPosition, findCursorPosition } from './cursor-position.ts';
import { listNames, type NameKind } from './list-names.ts';

/** The timeout of a completion is short, because the user waits for the candidates. */
const TIMEOUT_MS = 2000;

/**
 * Directives of cobra. After the directive 0, the shell completes file names if no candidate matches. After the directive 4, the
 * shell completes no file names.
 */
const FILES_DIRECTIVE = ':0\n';
const NO_FILES_DIRECTIVE = ':4\n';

type CompletionEnvironment = Pick<Invocation, 'connect'> & { readonly clock: Clock };

export function isCompletionRequest([subcommand]: readonly string[]): boolean {
  return subcommand === COMPLETION_REQUEST || subcommand === QUOTED_COMPLETION_REQUEST;
}

/**
 * Never rejects. Returns no candidates if the cluster does not respond within two seconds.
 * @param words The arguments of the program: the subcommand and a command line. The last argument is the word to complete,
 * which can be empty.
 */
export async function completeCommandLine(
  [subcommand, ...words]: readonly string[],
  environment: CompletionEnvironment,
): Promise<string> {
  const { candidates, directive } = await findCandidates(words, environment);
  const isAccepted =
    subcommand === QUOTED_COMPLETION_REQUEST ? (text: string) => escapeUnprintable(text) === text : isPlainWord;
  return `${candidates
    .filter(([text]) => isAccepted(text))
    .map(formatCandidate)
    .join('')}${directive}`;
}

function formatCandidate(candidate: Candidate): string {
  return `${candidate
    .filter((text) => text !== undefined)
    .map((text) => escapeUnprintable(text))
    .join('\t')}\n`;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: typeof FILES_DIRECTIVE | typeof NO_FILES_DIRECTIVE;
}

async function findCandidates(words: readonly string[], environment: CompletionEnvironment): Promise<Completion> {
  const position = findCursorPosition(words, COMMANDS);
  const { values, prefix, previousArguments } = position;
  if (values === 'files') return { candidates: [], directive: FILES_DIRECTIVE };
  const allCandidates = typeof values === 'string' ? await tryListNames(values, position, environment) : values;
  const candidates = allCandidates.filter(([text]) => text.startsWith(prefix) && !previousArguments.includes(text));
  return { candidates, directive: NO_FILES_DIRECTIVE };
}

async function tryListNames(
  nameKind: NameKind | 'anything',
  { flagValues, previousArguments }: CursorPosition,
  { clock, connect }: CompletionEnvironment,
): Promise<readonly Candidate[]> {
  if (nameKind === 'anything') return [];
  try {
    return await withTimeout({ clock, timeoutMs: TIMEOUT_MS }, (signal) =>
      listNames(nameKind, { flagValues, previousArguments, connect, signal }),
    );
  } catch {
    // An error message would appear in the middle of the line that the user types.
    return [];
  }
}
