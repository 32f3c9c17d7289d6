import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { findBundledPackages } from '../supply-chain/bundled-packages.ts';
import { formatThirdPartyLicences } from '../supply-chain/licences.ts';
import { LICENCES_FILE } from '../supply-chain/rolldown-plugin.ts';
import { smallCronParser } from '../supply-chain/small-bundle.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** The copy of cron-parser in a package. `browser` in package.json makes bundlers for browsers use the copy. */
export const BROWSER_CRON_PARSER = 'cron-parser.js';

/**
 * Writes a copy of cron-parser without luxon, and its licence, into `packageFolder`. A package cannot tell a bundler to leave out a
 * dependency of its dependency.
 */
export async function copyCronParser(packageFolder: string): Promise<void> {
  const { output } = await build({
    cwd: PROJECT,
    input: 'cron-parser',
    plugins: [smallCronParser],
    output: { file: join(packageFolder, BROWSER_CRON_PARSER), format: 'esm' },
    logLevel: 'warn',
  });
  const packages = findBundledPackages(Object.keys(output[0].modules), join(PROJECT, 'node_modules/rolldown'));
  writeFileSync(join(packageFolder, LICENCES_FILE), formatThirdPartyLicences(BROWSER_CRON_PARSER, packages));
}
