import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

export interface PackagePage {
  /** Relative to the package's folder: `docs/webhooks.md`. */
  readonly path: string;
  readonly text: string;
}

/** The existing ones of README.md, CHANGELOG.md and docs/ of the package in `folder`. */
export function readPages(folder: string): readonly PackagePage[] {
  const root = join(PROJECT, folder);
  const names = readdirSync(root, { withFileTypes: true });
  const docs = names.some((each) => each.name === 'docs') ? readdirSync(join(root, 'docs')).sort() : [];
  const files = names.filter((each) => each.isFile()).map(({ name }) => name);
  const paths = [...files, ...docs.map((name) => `docs/${name}`)].filter((path) => path.endsWith('.md'));
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
