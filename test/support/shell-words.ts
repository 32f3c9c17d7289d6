/** The words of a command line, as a shell sees them: of quotes it knows `'` and `"`, and nothing in them is special. */
export function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}
