/** Finds the word to complete in a command line, and the allowed values of the word. */
import type { Command, CommandFlag, CompletionValues } from '../command.ts';

export type Candidate = readonly [text: string, description?: string];

export interface CursorPosition {
  /** The part of the word before the cursor. */
  readonly prefix: string;
  /** The allowed values of the word. */
  readonly values: Exclude<CompletionValues, readonly string[]> | readonly Candidate[];
  /** The values of the flags before the word, by flag name. */
  readonly flagValues: ReadonlyMap<string, string>;
  /** The arguments before the word. */
  readonly previousArguments: readonly string[];
}

/** @param words The arguments of the program. The last argument is the word to complete, which can be empty. */
export function findCursorPosition(words: readonly string[], commands: readonly Command[]): CursorPosition {
  const [name, ...rest] = words;
  const prefix = rest.pop();
  const emptyPosition = { flagValues: new Map(), previousArguments: [] };
  if (name === undefined || prefix === undefined) {
    return { ...emptyPosition, prefix: name ?? '', values: commands.map((each) => [each.name, each.description]) };
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return { ...emptyPosition, prefix, values: 'anything' };
  const { argument, flags } = command;
  const { flagValues, previousArguments, openFlag, hasSeparator } = parseWords(rest, flags);
  const createPosition = (values: CompletionValues = 'anything', text = prefix): CursorPosition => ({
    ...{ flagValues, previousArguments, prefix: text },
    values: isList(values) ? values.map((value) => [value]) : values,
  });
  if (openFlag !== undefined) return createPosition(openFlag.values);
  const match = hasSeparator ? undefined : matchFlag(prefix, flags);
  if (match?.text !== undefined) return createPosition(match.flag.values, match.text);
  if (prefix.startsWith('-') && !hasSeparator) {
    return {
      flagValues,
      previousArguments,
      prefix,
      values: flags.filter((flag) => flag.isRepeated || !flagValues.has(flag.name)).flatMap(formatFlagNames),
    };
  }
  const hasAllArguments = previousArguments.length > 0 && !argument?.isRepeated;
  return createPosition(hasAllArguments ? undefined : argument?.values);
}

function isList(values: CompletionValues): values is readonly string[] {
  return Array.isArray(values);
}

function formatFlagNames({ name, short, description }: CommandFlag): readonly Candidate[] {
  const longName: Candidate = [`--${name}`, description];
  return short === undefined ? [longName] : [longName, [`-${short}`, description]];
}

interface ParsedWords {
  readonly flagValues: ReadonlyMap<string, string>;
  readonly previousArguments: readonly string[];
  /** The flag that needs the next word as its value. */
  readonly openFlag?: CommandFlag;
  /** Whether the words contain `--`. */
  readonly hasSeparator: boolean;
}

function parseWords(words: readonly string[], flags: readonly CommandFlag[]): ParsedWords {
  const separatorIndex = words.indexOf('--');
  const [beforeSeparator, afterSeparator] =
    separatorIndex < 0 ? [words, []] : [words.slice(0, separatorIndex), words.slice(separatorIndex + 1)];
  const flagValues = new Map<string, string>();
  const previousArguments: string[] = [];
  let openFlag: CommandFlag | undefined;
  for (const word of beforeSeparator) {
    const match = openFlag ? { flag: openFlag, text: word } : matchFlag(word, flags);
    openFlag = undefined;
    if (match === undefined) previousArguments.push(word);
    else if (match.flag.value !== undefined && match.text === undefined) openFlag = match.flag;
    else flagValues.set(match.flag.name, match.text ?? 'true');
  }
  return {
    flagValues,
    previousArguments: [...previousArguments, ...afterSeparator],
    hasSeparator: separatorIndex >= 0,
    ...(openFlag && { openFlag }),
  };
}

interface FlagMatch {
  readonly flag: CommandFlag;
  readonly text?: string;
}

/** Returns the flag in a word such as `--name`, `--name=text` or `-n`, and the text after the equals sign. */
function matchFlag(word: string, flags: readonly CommandFlag[]): FlagMatch | undefined {
  const [, name, text] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = flags.find((each) => name === `--${each.name}` || name === `-${each.short}`);
  return flag && { flag, ...(text !== undefined && { text }) };
}
