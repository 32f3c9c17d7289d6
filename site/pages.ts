/** The pages of the documentation site: the Markdown files of the repository, where each appears, and their order. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY_ROOT = join(import.meta.dirname, '..');

type SidebarItem =
  | { readonly slug: string }
  | { readonly label: string; readonly collapsed: boolean; readonly items: readonly SidebarItem[] };

/** The groups of the sidebar. Each line is a file, or a pattern for files in alphabetical order. A file belongs to its first match. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['README.md', 'config/samples/README.md', 'docs/install.md'],
  Book: ['docs/book/README.md', 'docs/book/*.md'],
  Guides: [
    'docs/schedules.md',
    'docs/policies.md',
    'docs/cronjobruns.md',
    'docs/from-batch-v1.md',
    'docs/argocd.md',
    'docs/backup-and-restore.md',
    'docs/webhooks.md',
    'docs/security.md',
    'docs/sizing.md',
  ],
  Reference: [
    'docs/cronjob-v1.md',
    'docs/cronjobrun-v1.md',
    'docs/metrics.md',
    'docs/contract.md',
    'docs/*differences.md',
    'docs/cronjob-v2.md',
  ],
  'kubectl tcj': ['docs/kubectl-tcj.md', 'docs/kubectl-tcj/*.md'],
  Runbooks: ['docs/runbooks/*.md'],
  'controller-runtime': [
    'runtime/README.md',
    'runtime/docs/first-operator.md',
    'runtime/docs/*.md',
    'runtime/CHANGELOG.md',
  ],
  'Other packages': ['api/README.md', 'create-controller-runtime/README.md', 'schedule/README.md'],
  Project: [
    'docs/architecture.md',
    'CONTRIBUTING.md',
    'docs/*.md',
    'SUPPORT.md',
    'SECURITY.md',
    'GOVERNANCE.md',
    'RELEASING.md',
    'CHANGELOG.md',
  ],
  'Design decisions': ['docs/adr/README.md', 'docs/adr/*.md'],
};
/** Long groups, which the sidebar shows closed. */
const COLLAPSED = ['kubectl tcj', 'Runbooks', 'controller-runtime', 'Design decisions'];

/** The files of each group, as paths from the root of the repository. */
function listGroups(): ReadonlyMap<string, readonly string[]> {
  const used = new Set<string>();
  const groups = Object.entries(GROUPS).map(([name, patterns]) => {
    const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: REPOSITORY_ROOT }).sort());
    const fresh = [...new Set(files)].filter((file) => !used.has(file));
    for (const file of fresh) used.add(file);
    return [name, fresh] as const;
  });
  return new Map(groups.filter(([, files]) => files.length > 0));
}

export const listPages = (): readonly string[] => [...listGroups().values()].flat();

/** The address of a page below the base path, without slashes around it: `docs/adr/README.md` is at `adr`. */
export function toSlug(file: string): string {
  const folder = file.includes('/') || file === 'README.md' ? '' : 'project/';
  const withoutDocs = folder + file.replace(/^(config|docs)\//, '').replace('/docs/', '/');
  return withoutDocs
    .replace(/(^|\/)README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase();
}

/** The first heading of a page, without its marks. @throws if the page has no heading */
export function readTitle(file: string): string {
  const title = readFileSync(join(REPOSITORY_ROOT, file), 'utf8').match(/^# (.+)$/m)?.[1];
  if (title === undefined) throw new Error(`${file} has no title: begin it with "# <title>"`);
  return title.replaceAll('`', '').trim();
}

/** The sidebar, in the form that Starlight reads. */
export function buildSidebar(): SidebarItem[] {
  return [...listGroups()].map(([label, files]) => ({
    label,
    collapsed: COLLAPSED.includes(label),
    items: files.map((file) => ({ slug: toSlug(file) || 'index' })),
  }));
}
