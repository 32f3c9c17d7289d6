/** Finds the part of a command line to complete. */
import type { Command, CommandFlag, CompletionValues } from '../command.ts';

export type Candidate = readonly [text: string, description?: string];

export interface CursorPosition {
  /** The typed part of the word. */
  readonly prefix: string;
  /** Allowed values at this place. */
  readonly values: Exclude<CompletionValues, readonly string[]> | readonly Candidate[];
  /** Values of the flags before this place, by flag name. */
  readonly flagValues: ReadonlyMap<string, string>;
  /** Arguments before this place. */
  readonly before: readonly string[];
}

/** @param words The words after the name of the program; the last one is the word to complete, and may be empty. */
export function findCursorPosition(words: readonly string[], commands: readonly Command[]): CursorPosition {
  const [name, ...rest] = words;
  const prefix = rest.pop();
  const first = { flagValues: new Map(), before: [] };
  if (name === undefined || prefix === undefined) {
    return { ...first, prefix: name ?? '', values: commands.map((each) => [each.name, each.description]) };
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return { ...first, prefix, values: 'anything' };
  const { argument, flags } = command;
  const { flagValues, before, open, areFlagsOver } = parseWords(rest, flags);
  const createPosition = (values: CompletionValues = 'anything', text = prefix): CursorPosition => ({
    ...{ flagValues, before, prefix: text },
    values: isList(values) ? values.map((value) => [value]) : values,
  });
  if (open !== undefined) return createPosition(open.values);
  const match = areFlagsOver ? undefined : matchFlag(prefix, flags);
  if (match?.text !== undefined) return createPosition(match.flag.values, match.text);
  if (prefix.startsWith('-') && !areFlagsOver) {
    return {
      flagValues,
      before,
      prefix,
      values: flags.filter((flag) => !flagValues.has(flag.name)).flatMap(formatFlagNames),
    };
  }
  const isFull = before.length > 0 && !argument?.isRepeated;
  return createPosition(isFull ? undefined : argument?.values);
}

function isList(values: CompletionValues): values is readonly string[] {
  return Array.isArray(values);
}

function formatFlagNames({ name, short, description }: CommandFlag): readonly Candidate[] {
  const long: Candidate = [`--${name}`, description];
  return short === undefined ? [long] : [long, [`-${short}`, description]];
}

interface ParsedWords {
  readonly flagValues: ReadonlyMap<string, string>;
  readonly before: readonly string[];
  /** Set when the last word is a flag that needs a value. */
  readonly open?: CommandFlag;
  /** Whether `--` came before. */
  readonly areFlagsOver: boolean;
}

function parseWords(words: readonly string[], flags: readonly CommandFlag[]): ParsedWords {
  const end = words.indexOf('--');
  const [flagged, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  const flagValues = new Map<string, string>();
  const before: string[] = [];
  let open: CommandFlag | undefined;
  for (const word of flagged) {
    const found = open ? { flag: open, text: word } : matchFlag(word, flags);
    open = undefined;
    if (found === undefined) before.push(word);
    else if (found.flag.value !== undefined && found.text === undefined) open = found.flag;
    else flagValues.set(found.flag.name, found.text ?? 'true');
  }
  return { flagValues, before: [...before, ...rest], areFlagsOver: end >= 0, ...(open && { open }) };
}

interface FlagMatch {
  readonly flag: CommandFlag;
  readonly text?: string;
}

/** The flag of `--name`, `--name=text` or `-n`, with its text if it has one. */
function matchFlag(word: string, flags: readonly CommandFlag[]): FlagMatch | undefined {
  const [, name, text] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = flags.find((each) => name === `--${each.name}` || name === `-${each.short}`);
  return flag && { flag, ...(text !== undefined && { text }) };
}
