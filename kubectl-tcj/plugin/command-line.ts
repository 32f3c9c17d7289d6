/** Command lines that users copy into a shell. */
import { CONTEXT, KUBECONFIG } from './cluster-flags.ts';

/** Joins the words of a command, and quotes each word that a shell would interpret. */
export function formatCommandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

/** Adds the cluster flags to a line from {@link formatCommandLine}, which would otherwise use the current context. */
export function addClusterFlags(line: string, flagValues: ReadonlyMap<string, string>): string {
  const flags = [CONTEXT, KUBECONFIG].flatMap(({ name }) => {
    const value = flagValues.get(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  return flags.length === 0 ? line : `${line} ${formatCommandLine(flags)}`;
}

/** `text` as one word for sh, bash, zsh and fish. */
function quoteWord(text: string): string {
  return isPlainWord(text) ? text : `'${text.replace(/['\\]+/g, escapeCharacters)}'`;
}

/** Whether all of these shells read the text unchanged. */
export function isPlainWord(text: string): boolean {
  return PLAIN.test(text);
}

/** Characters without a special meaning in these shells at any position; `=` and `%` are special at the beginning. */
const PLAIN = /^[\w./:,@+-][\w./:=,@%+-]*$/;

/**
 * Escapes outside of quotes: inside of quotes, a backslash is special in fish but not in the other shells; outside, all of them
 * treat it the same.
 */
function escapeCharacters(characters: string): string {
  return `'${characters.replaceAll(/./g, '\\$&')}'`;
}
