/** Writes tar archives that depend on their content alone: sorted, owned by root, dated 1970. */

export type Entry =
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'folder'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

const BLOCK = 512;
const LONGEST_PATH = 100;
const TYPE_FLAGS = { file: '0', link: '2', folder: '5' } as const;
const DEFAULT_MODES = { file: 0o644, link: 0o777, folder: 0o755 } as const;

/** The archive. Paths are relative to its root; folders that are only implied by a path are added. */
export function ustar(entries: readonly Entry[]): Buffer {
  const complete = [...impliedFolders(entries), ...entries].sort((left, right) => (left.path < right.path ? -1 : 1));
  const blocks = complete.flatMap((entry) => {
    const content = entry.kind === 'file' ? entry.content : new Uint8Array();
    return [header(entry, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function impliedFolders(entries: readonly Entry[]): readonly Entry[] {
  const given = new Set(entries.map(({ path }) => path));
  const implied = new Set<string>();
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) implied.add(parts.slice(0, depth).join('/'));
  }
  return [...implied].filter((path) => !given.has(path)).map((path) => ({ kind: 'folder', path }));
}

function header(entry: Entry, size: number): Buffer {
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'link' ? entry.target : '';
  for (const text of [name, target]) {
    if (Buffer.byteLength(text) > LONGEST_PATH) throw new Error(`too long for this tar writer: ${text}`);
  }
  const mode = ('mode' in entry ? entry.mode : undefined) ?? DEFAULT_MODES[entry.kind];
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108); // user
  block.write(octal(0, 8), 116); // group
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136); // time
  block.write(' '.repeat(8), 148); // the checksum counts as blanks in itself
  block.write(TYPE_FLAGS[entry.kind], 156);
  block.write(target, 157);
  block.write('ustar\u000000', 257);
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  block.write(`${octal(checksum, 7)} `, 148);
  return block;
}

/** Padded with zeros, ended by a NUL: `width` characters in all. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}
