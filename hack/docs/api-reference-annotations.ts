/** The annotations that api/v1/groupversion.ts names, each with what its comment there says. */
import { readFileSync } from 'node:fs';
import * as names from '../../api/v1/groupversion.ts';

const SOURCE = new URL('../../api/v1/groupversion.ts', import.meta.url);
const SUFFIX = '_ANNOTATION';

export interface Annotation {
  readonly key: string;
  readonly meaning: string;
}

/** Every exported constant that ends in `_ANNOTATION`, in the order of the file. Throws on one without a comment. */
export function annotations(source = readFileSync(SOURCE, 'utf8')): readonly Annotation[] {
  const comments = docComments(source);
  return Object.entries(names)
    .filter(([name]) => name.endsWith(SUFFIX))
    .toSorted(([left], [right]) => source.indexOf(`const ${left}`) - source.indexOf(`const ${right}`))
    .map(([name, key]) => ({ key, meaning: comments.get(name) ?? missing(name) }));
}

/** Text of the doc comment right above each exported constant, by its name, without line breaks. */
function docComments(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g);
  return new Map([...found].map(([, comment = '', name = '']) => [name, withoutMargin(comment)]));
}

function withoutMargin(comment: string): string {
  return comment
    .replaceAll(/^\s*\*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function missing(name: string): never {
  throw new Error(`${name} has no doc comment in api/v1/groupversion.ts`);
}
