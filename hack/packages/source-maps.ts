import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Names the TypeScript file beside each built file in its source map, because the path in this repository does not exist in an installation.
 * The maps contain the sources.
 */
export function placeSourceMaps(packageFolder: string): void {
  for (const path of readdirSync(packageFolder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js.map')) continue;
    const file = join(packageFolder, path);
    const map = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...map, sources: [`${basename(path, '.js.map')}.ts`] }));
  }
}
