/** Where the links of a page lead on the site: to the same targets as on GitHub. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listPages, REPOSITORY_ROOT, toSlug } from './pages.ts';

export interface LinkOptions {
  /** Path of the site on its server. Begins and ends with a slash. */
  readonly base: string;
  /** Address of the repository. Without it, links to source files become text. */
  readonly repository: string | undefined;
  /** Branch or tag of the source files. */
  readonly revision: string;
}

const pages = new Set(listPages());

/**
 * Resolves a link of a page. Returns `undefined` for a link that becomes text.
 * @param page path of the Markdown file from the root of the repository
 */
export function resolveLink(page: string, link: string, options: LinkOptions): string | undefined {
  if (/^(\w+:|#)/.test(link)) return link;
  const { base, repository, revision } = options;
  const [path = '', fragment] = link.split('#');
  const target = join(dirname(page), decodeURI(path)).replace(/\/$/, '');
  const anchor = fragment === undefined ? '' : `#${fragment}`;
  const file = [target, join(target, 'README.md')].find((each) => pages.has(each));
  if (file !== undefined) return `${base}${toSlug(file)}/`.replace(/\/\/$/, '/') + anchor;
  const source = join(REPOSITORY_ROOT, target);
  if (repository === undefined || !existsSync(source)) return undefined;
  return `${repository}/${statSync(source).isDirectory() ? 'tree' : 'blob'}/${revision}/${target}${anchor}`;
}
