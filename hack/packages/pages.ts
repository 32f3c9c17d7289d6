import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

export interface Page {
  /** From the package's folder: `docs/webhooks.md`. */
  readonly path: string;
  readonly text: string;
}

/** README.md, CHANGELOG.md and docs/ of the package in `folder`, as far as it has them. */
export function pagesOf(folder: string): readonly Page[] {
  const root = join(PROJECT, folder);
  const names = readdirSync(root, { withFileTypes: true });
  const docs = names.some((each) => each.name === 'docs') ? readdirSync(join(root, 'docs')).sort() : [];
  const papers = names.filter((each) => each.isFile()).map(({ name }) => name);
  const paths = [...papers, ...docs.map((name) => `docs/${name}`)].filter((path) => path.endsWith('.md'));
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
