/**
 * Completes a command line, in the protocol of cobra: a line for each candidate, with a description behind a tab, and a last line with
 * a number that says what the shell does with them. kubectl and the scripts of `completion` ask with `kubectl-tcj __complete WORD…`.
 */
import { type Clock, withTimeout } from 'controller-runtime';
import type { Command, Invocation, Values } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { printable } from '../terminal/printable.ts';
import { type Candidate, namesOf } from './names.ts';
import { type Place, placeIn } from './place.ts';

/** The first word of a command line that asks for this. */
export const COMPLETE = '__complete';

/** Somebody waits with the finger on the key. */
const TIMEOUT_MS = 2000;

/** What the shell does: 0 is to complete files where there is no candidate, 4 not to. */
const FILES = ':0\n';
const NO_FILES = ':4\n';

type Surroundings = Pick<Invocation, 'connect'> & { readonly clock: Clock };

/**
 * Never rejects, and takes at most two seconds: without candidates when the cluster does not answer.
 * @param words What comes after the name of the program; the last one is to be completed, and may be empty.
 */
export async function completed(words: readonly string[], surroundings: Surroundings): Promise<string> {
  const place = placeIn(words, COMMANDS);
  switch (place.kind) {
    case 'none':
      return NO_FILES;
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

function listed(candidates: readonly Candidate[], prefix: string): string {
  const lines = candidates
    .filter(([text]) => text.startsWith(prefix))
    .map(
      (texts) =>
        `${texts
          .filter((text) => text !== undefined)
          .map((text) => printable(text))
          .join('\t')}\n`,
    );
  return `${lines.join('')}${NO_FILES}`;
}

function asWords({ name, short, description }: Command['flags'][number]): readonly Candidate[] {
  const long: Candidate = [`--${name}`, description];
  return short === undefined ? [long] : [long, [`-${short}`, description]];
}

async function valuesAt(place: Extract<Place, { kind: 'value' }>, { clock, connect }: Surroundings): Promise<string> {
  const { values, prefix, given, before } = place;
  if (values === 'files') return FILES;
  if (values === 'anything') return NO_FILES;
  try {
    const found: readonly Candidate[] = isList(values)
      ? values.map((value) => [value])
      : await withTimeout({ clock, timeoutMs: TIMEOUT_MS }, (signal) =>
          namesOf(values, { given, before, connect, signal }),
        );
    return listed(
      found.filter(([name]) => !before.includes(name)),
      prefix,
    );
  } catch {
    // No kubeconfig, no rights, no answer: a message would land in the middle of the line that is being typed.
    return NO_FILES;
  }
}

function isList(values: Values): values is readonly string[] {
  return Array.isArray(values);
}
