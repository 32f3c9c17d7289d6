import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

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

/**
 * Replaces the links to files outside the package, which its tarball does not contain, with links to the project, or with their text if
 * the project has no address.
 */
export function withoutOuterLinks({ path, text }: PackagePage, folder: string, homepage: string | undefined): string {
  return text.replaceAll(/\[([^\]]+)\]\((\.\.\/[^)]+)\)/g, (link, label: string, target: string) => {
    const file = posix.join(folder, dirname(path), target);
    if (file.startsWith(`${folder}/`)) return link;
    return homepage === undefined ? label : `[${label}](${homepage}/blob/main/${file})`;
  });
}
