/** Formats command lines that users copy into a shell. */
import { AS_FLAG, AS_GROUP_FLAG, CONTEXT_FLAG, KUBECONFIG_FLAG } from './cluster-flags.ts';
import type { Invocation } from './command.ts';

/** Joins the words of a command, and quotes each word that a shell would interpret. */
export function formatCommandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

/** Adds the flags of this command that select the cluster and the impersonated user. */
export function addClusterFlags(
  commandLine: string,
  { flagValues, flagLists }: Pick<Invocation, 'flagValues' | 'flagLists'>,
): string {
  const flags = [CONTEXT_FLAG, KUBECONFIG_FLAG, AS_FLAG, AS_GROUP_FLAG].flatMap(({ name }) => {
    const value = flagValues.get(name);
    const values = flagLists.get(name) ?? (value === undefined ? [] : [value]);
    return values.flatMap((each) => [`--${name}`, each]);
  });
  return flags.length === 0 ? commandLine : `${commandLine} ${formatCommandLine(flags)}`;
}

/** Quotes the text as one word for sh, bash, zsh and fish. */
function quoteWord(text: string): string {
  return isPlainWord(text) ? text : `'${text.replace(/['\\]+/g, escapeOutsideQuotes)}'`;
}

/** Returns whether sh, bash, zsh and fish read the text unchanged without quotes. */
export function isPlainWord(text: string): boolean {
  return PLAIN_WORD_PATTERN.test(text);
}

/** Matches a word without special characters; `=` and `%` are special only at the beginning of a word. */
const PLAIN_WORD_PATTERN = /^[\w./:,@+-][\w./:=,@%+-]*$/;

/**
 * Escapes quotes and backslashes outside of the single quotes, because fish, unlike other shells, interprets a backslash inside
 * single quotes.
 */
function escapeOutsideQuotes(characters: string): string {
  return `'${characters.replaceAll(/./g, '\\$&')}'`;
}
