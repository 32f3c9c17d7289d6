/**
 * Completes a command line, in the protocol of cobra: a line for each candidate, with a description behind a tab, and a last line with
 * a number that says what the shell does with them. kubectl asks with `kubectl-tcj __complete WORD…`, and gets only candidates that no shell reads
 * as something else.
 */
import { type Clock, withTimeout } from 'controller-runtime';
import type { Command, Invocation, Values } from '../command.ts';
import { isPlainWord } from '../command-line.ts';
import { COMMANDS } from '../commands.ts';
import { printable } from '../terminal/printable.ts';
import { type Candidate, namesOf } from './names.ts';
import { type Place, placeIn } from './place.ts';
import { COMPLETE, COMPLETE_QUOTING } from './verbs.ts';

/** Somebody waits with the finger on the key. */
const TIMEOUT_MS = 2000;

/** What the shell does: 0 is to complete files where there is no candidate, 4 not to. */
const FILES = ':0\n';
const NO_FILES = ':4\n';

type Surroundings = Pick<Invocation, 'connect'> & { readonly clock: Clock };

/** Whether the words ask for candidates. */
export function asksForCandidates([verb]: readonly string[]): boolean {
  return verb === COMPLETE || verb === COMPLETE_QUOTING;
}

/**
 * Never rejects, and takes at most two seconds: without candidates when the cluster does not answer.
 * @param words What comes after the name of the program: how it is asked, then a command line; the last word is to be completed, and may be
 * empty.
 */
export async function completed([verb, ...words]: readonly string[], surroundings: Surroundings): Promise<string> {
  const { candidates, directive } = await found(words, surroundings);
  const fits = verb === COMPLETE_QUOTING ? isPrintable : isPlainWord;
  return `${candidates
    .filter(([text]) => fits(text))
    .map(asLine)
    .join('')}${directive}`;
}

function isPrintable(text: string): boolean {
  return printable(text) === text;
}

function asLine(texts: Candidate): string {
  return `${texts
    .filter((text) => text !== undefined)
    .map((text) => printable(text))
    .join('\t')}\n`;
}

interface Found {
  readonly candidates: readonly Candidate[];
  readonly directive: typeof FILES | typeof NO_FILES;
}

const NOTHING: Found = { candidates: [], directive: NO_FILES };

async function found(words: readonly string[], surroundings: Surroundings): Promise<Found> {
  const place = placeIn(words, COMMANDS);
  switch (place.kind) {
    case 'none':
      return NOTHING;
    case 'command':
      return listed(
        COMMANDS.map(({ name, description }) => [name, description]),
        place.prefix,
      );
    case 'flag':
      return listed(place.flags.flatMap(asWords), place.prefix);
    case 'value':
      return await valuesAt(place, surroundings);
  }
}

function listed(candidates: readonly Candidate[], prefix: string): Found {
  return { candidates: candidates.filter(([text]) => text.startsWith(prefix)), directive: NO_FILES };
}

function asWords({ name, short, description }: Command['flags'][number]): readonly Candidate[] {
  const long: Candidate = [`--${name}`, description];
  return short === undefined ? [long] : [long, [`-${short}`, description]];
}

async function valuesAt(place: Extract<Place, { kind: 'value' }>, { clock, connect }: Surroundings): Promise<Found> {
  const { values, prefix, given, before } = place;
  if (values === 'files') return { candidates: [], directive: FILES };
  if (values === 'anything') return NOTHING;
  try {
    const candidates: readonly Candidate[] = isList(values)
      ? values.map((value) => [value])
      : await withTimeout({ clock, timeoutMs: TIMEOUT_MS }, (signal) =>
          namesOf(values, { given, before, connect, signal }),
        );
    return listed(
      candidates.filter(([name]) => !before.includes(name)),
      prefix,
    );
  } catch {
    // No kubeconfig, no rights, no answer: a message would land in the middle of the line that is being typed.
    return NOTHING;
  }
}

function isList(values: Values): values is readonly string[] {
  return Array.isArray(values);
}
