import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Sets the path in each source map to a TypeScript file in the folder of the map, because the path in this repository does not exist in an
 * installation. The file itself need not exist, because the map contains its text.
 */
export function placeSourceMaps(packageFolder: string): void {
  for (const path of readdirSync(packageFolder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js.map')) continue;
    const file = join(packageFolder, path);
    const map = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...map, sources: [`${basename(path, '.js.map')}.ts`] }));
  }
}
