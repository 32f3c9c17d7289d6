/** Writes reproducible tar archives: the files are sorted, have the owner root, and the time 1970-01-01. */
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';

export type TarEntry =
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'folder'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

const DEFAULT_MODES = { file: 0o644, link: 0o777, folder: 0o755 } as const;

/** Returns the archive. Adds entries for the parent folders of files. */
export function createTar(entries: readonly TarEntry[]): Promise<Buffer> {
  const allEntries = [...listParentFolders(entries), ...entries].sort((left, right) =>
    left.path < right.path ? -1 : 1,
  );
  const archive = pack();
  for (const entry of allEntries) archive.entry(toHeader(entry), entry.kind === 'file' ? entry.content : '');
  archive.finalize();
  return buffer(archive);
}

function toHeader(entry: TarEntry): Pick<Header, 'name'> & Partial<Header> {
  const mode = ('mode' in entry ? entry.mode : undefined) ?? DEFAULT_MODES[entry.kind];
  const common = { mode, mtime: new Date(0), uid: 0, gid: 0 };
  switch (entry.kind) {
    case 'file':
      return { ...common, type: 'file', name: entry.path, size: entry.content.length };
    case 'folder':
      return { ...common, type: 'directory', name: `${entry.path}/` };
    case 'link':
      return { ...common, type: 'symlink', name: entry.path, linkname: entry.target };
  }
}

function listParentFolders(entries: readonly TarEntry[]): readonly TarEntry[] {
  const entryPaths = new Set(entries.map(({ path }) => path));
  const parents = new Set<string>();
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) parents.add(parts.slice(0, depth).join('/'));
  }
  return [...parents].filter((path) => !entryPaths.has(path)).map((path) => ({ kind: 'folder', path }));
}
