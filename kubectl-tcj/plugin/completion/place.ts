/** Which part of a command line is to be completed. */
import type { Command, Flag, Values } from '../command.ts';

export type Place =
  | { readonly kind: 'command'; readonly prefix: string }
  | { readonly kind: 'flag'; readonly prefix: string; readonly flags: readonly Flag[] }
  | {
      readonly kind: 'value';
      readonly prefix: string;
      readonly values: Values;
      /** By the names of the flags, those that are given before it. */
      readonly given: ReadonlyMap<string, string>;
      /** Arguments that are given before it. */
      readonly before: readonly string[];
    }
  /** Nothing that is known may stand there. */
  | { readonly kind: 'none' };

/** @param words What comes after the name of the program; the last one is to be completed, and may be empty. */
export function placeIn(words: readonly string[], commands: readonly Command[]): Place {
  const [name, ...rest] = words;
  const prefix = rest.pop();
  if (name === undefined || prefix === undefined) return { kind: 'command', prefix: name ?? '' };
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return { kind: 'none' };
  const read = readWords(rest, command.flags);
  const { given, before } = read;
  if (read.open !== undefined) return { kind: 'value', prefix, values: valuesOf(read.open), given, before };
  const ofFlag = read.areFlagsOver ? undefined : flagOf(prefix, command.flags);
  if (ofFlag?.text !== undefined) {
    return { kind: 'value', prefix: ofFlag.text, values: valuesOf(ofFlag.flag), given, before };
  }
  if (prefix.startsWith('-') && !read.areFlagsOver) {
    return { kind: 'flag', prefix, flags: command.flags.filter((flag) => !given.has(flag.name)) };
  }
  const { argument } = command;
  if (argument === undefined || (before.length > 0 && !argument.isRepeated)) return { kind: 'none' };
  return { kind: 'value', prefix, values: argument.values, given, before };
}

function valuesOf({ values = 'anything' }: Flag): Values {
  return values;
}

interface ReadWords {
  readonly given: ReadonlyMap<string, string>;
  readonly before: readonly string[];
  /** The last word is a flag that still wants its value. */
  readonly open?: Flag;
  /** After `--`. */
  readonly areFlagsOver: boolean;
}

function readWords(words: readonly string[], flags: readonly Flag[]): ReadWords {
  const end = words.indexOf('--');
  const [flagged, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  const given = new Map<string, string>();
  const before: string[] = [];
  let open: Flag | undefined;
  for (const word of flagged) {
    const found = open ? { flag: open, text: word } : flagOf(word, flags);
    open = undefined;
    if (found === undefined) before.push(word);
    else if (wantsValue(found)) open = found.flag;
    else given.set(found.flag.name, found.text ?? 'true');
  }
  return { given, before: [...before, ...rest], areFlagsOver: end >= 0, ...(open && { open }) };
}

interface FoundFlag {
  readonly flag: Flag;
  readonly text?: string;
}

function wantsValue({ flag, text }: FoundFlag): boolean {
  return flag.value !== undefined && text === undefined;
}

/** The flag of `--name`, `--name=text` or `-n`, with its text if it has one. */
function flagOf(word: string, flags: readonly Flag[]): FoundFlag | undefined {
  const [, name, text] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = flags.find((each) => name === `--${each.name}` || name === `-${each.short}`);
  return flag && { flag, ...(text !== undefined && { text }) };
}
