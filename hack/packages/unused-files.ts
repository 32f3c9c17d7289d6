import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Matches the relative paths of `import … from`, `export … from`, `import('…')` and `import '…'`. */
const RELATIVE_IMPORT_PATTERN = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/**
 * Deletes declarations and JavaScript that no entry point needs: declarations of internal modules, and the empty JavaScript of modules with
 * only types.
 *
 * @param entries The entry points and commands, as paths of JavaScript files relative to the package.
 */
export function deleteUnusedFiles(packageFolder: string, entries: readonly string[]): void {
  const used = new Set(['.js', '.d.ts'].flatMap((ending) => [...findUsedFiles(packageFolder, entries, ending)]));
  for (const path of readdirSync(packageFolder, { recursive: true, encoding: 'utf8' })) {
    const file = resolve(packageFolder, path);
    if (/(?:\.js|\.d\.ts)$/.test(path) && !used.has(file)) rmSync(file);
    if (path.endsWith('.js.map') && !used.has(file.slice(0, -'.map'.length))) rmSync(file);
  }
}

function findUsedFiles(packageFolder: string, entries: readonly string[], ending: string): ReadonlySet<string> {
  const used = new Set<string>();
  const add = (file: string) => {
    if (used.has(file)) return;
    used.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT_PATTERN))
      add(join(dirname(file), path.replace(/\.[jt]s$/, ending)));
  };
  for (const entry of entries) add(resolve(packageFolder, entry.replace(/\.js$/, ending)));
  return used;
}
