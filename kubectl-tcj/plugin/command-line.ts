/** Command lines that people copy into a shell. */
import { CONTEXT, KUBECONFIG } from './cluster-flags.ts';

/** The words of a command, each quoted where a shell would read it as something else. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** A line that {@link commandLine} has made, for the cluster that the flags name: else it would be for the current context. */
export function forSameCluster(line: string, given: ReadonlyMap<string, string>): string {
  const flags = [CONTEXT, KUBECONFIG].flatMap(({ name }) => {
    const value = given.get(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  return flags.length === 0 ? line : `${line} ${commandLine(flags)}`;
}

/** `text` as one word for sh, bash, zsh and fish. */
function shellWord(text: string): string {
  return isPlainWord(text) ? text : `'${text.replace(/['\\]+/g, unquoted)}'`;
}

/** Whether all of these shells read it as it is. */
export function isPlainWord(text: string): boolean {
  return PLAIN.test(text);
}

/** Of no meaning to any of these shells, wherever they stand; `=` and `%` have one at the beginning. */
const PLAIN = /^[\w./:,@+-][\w./:=,@%+-]*$/;

/** In quotes of fish a backslash means something, and in those of the others it does not: outside of them it is the same to all. */
function unquoted(characters: string): string {
  return `'${characters.replaceAll(/./g, '\\$&')}'`;
}
