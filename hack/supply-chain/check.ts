/**
 * Bundles the manager in memory, and checks that every licence is allowed and has a text, that the SBOM is valid and complete, and that
 * THIRD_PARTY.md lists the bundled packages.
 *
 *   node hack/supply-chain/check.ts           writes THIRD_PARTY.md
 *   node hack/supply-chain/check.ts --check   writes no file, exits 1 when the file is stale
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '../control-plane/run-script.ts';
import { bundleManager, renderThirdPartyPage } from './bundle-manager.ts';
import { findSbomProblems } from './sbom.ts';

const PAGE = 'THIRD_PARTY.md';

const file = join(import.meta.dirname, '../..', PAGE);
await runScript(async () => {
  const { packages, sbom } = await bundleManager();
  const problems = [...(await findSbomProblems(sbom, packages))];
  const expectedPage = renderThirdPartyPage(packages);
  const isStale = !existsSync(file) || readFileSync(file, 'utf8') !== expectedPage;
  if (isStale && process.argv.includes('--check')) {
    problems.push(`${PAGE} is stale: run \`make manifests\`, review what is bundled now, and commit the result`);
  } else if (isStale) {
    writeFileSync(file, expectedPage);
    console.log(`wrote ${PAGE}`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
});
