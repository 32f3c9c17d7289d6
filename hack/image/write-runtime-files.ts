/** The Dockerfile runs this script, which writes the runtime files to a folder. `node hack/image/write-runtime-files.ts FOLDER` */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findNodeRuntime, listRuntimeFiles } from './runtime-files.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: write-runtime-files.ts FOLDER');
for (const entry of listRuntimeFiles(findNodeRuntime(process.execPath))) {
  const path = join(folder, entry.path);
  mkdirSync(dirname(path), { recursive: true });
  if (entry.kind === 'folder') mkdirSync(path, { recursive: true });
  else if (entry.kind === 'file') writeFileSync(path, entry.content);
  else symlinkSync(entry.target, path);
  // Sets the mode again, because the umask limits the mode of a new file.
  if (entry.kind !== 'link' && entry.mode !== undefined) chmodSync(path, entry.mode);
}
