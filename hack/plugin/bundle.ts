/** Bundles the plugin into one file, and writes its licences and its SBOM to the same folder. */
import { join } from 'node:path';
import { build } from 'rolldown';
import config from '../../kubectl-tcj/rolldown.config.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** @param bundleFile The absolute path of the bundle. `.mjs` becomes an ES module, `.cjs` a CommonJS module. */
export async function bundlePlugin(bundleFile: string): Promise<void> {
  await build({
    ...config,
    cwd: PROJECT,
    output: { ...config.output, file: bundleFile, format: bundleFile.endsWith('.cjs') ? 'cjs' : 'esm' },
  });
}
