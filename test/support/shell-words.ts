/** The words of a command line, as a shell splits it. Supports the quotes `'` and `"`; no character is special inside them. */
export function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}
