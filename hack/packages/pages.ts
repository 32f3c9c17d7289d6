import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

export interface PackagePage {
  /** Path relative to the package, such as `docs/webhooks.md`. */
  readonly path: string;
  readonly text: string;
}

/** Reads README.md, CHANGELOG.md and the pages in docs/ of a package, if they exist. */
export function readPages(folder: string): readonly PackagePage[] {
  const root = join(PROJECT, folder);
  const names = readdirSync(root, { withFileTypes: true });
  const docs = names.some((each) => each.name === 'docs') ? readdirSync(join(root, 'docs')).sort() : [];
  const files = names.filter((each) => each.isFile()).map(({ name }) => name);
  const paths = [...files, ...docs.map((name) => `docs/${name}`)].filter((path) => path.endsWith('.md'));
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
