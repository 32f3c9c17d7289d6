/** Writes the licences and the SBOM of a bundle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { findBundledPackages } from './bundled-packages.ts';
import { findLicenceProblems, formatThirdPartyLicences } from './licences.ts';
import { createSbom, type Project } from './sbom.ts';

/** The files are in the folder of the bundle. */
export const LICENCES_FILE = 'THIRD_PARTY_LICENSES';
export const SBOM_FILE = 'sbom.cdx.json';

type ProgramInfo = Pick<Project, 'name' | 'description'>;

/**
 * The build fails if the licence of a bundled package is not allowed, or if its text is missing.
 *
 * @param project Folder of the project, with package.json and node_modules.
 * @param programInfo Overrides fields of package.json for a different program.
 * @param listEmbeddedModules Returns the paths of modules that the bundle contains as text.
 */
export function supplyChain(
  project: string,
  programInfo: Partial<ProgramInfo> = {},
  listEmbeddedModules: () => readonly string[] = () => [],
): Plugin {
  return {
    name: 'supply-chain',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const packages = findBundledPackages(
        [...chunks.flatMap(({ modules }) => Object.keys(modules)), ...listEmbeddedModules()],
        join(project, 'node_modules/rolldown'),
      );
      const problems = findLicenceProblems(packages);
      if (problems.length > 0) this.error({ message: problems.join('\n'), stack: '' });
      const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
      const code = chunks.map((chunk) => chunk.code).join('');
      const licences = formatThirdPartyLicences(chunks.map(({ fileName }) => fileName).join(', '), packages);
      this.emitFile({ type: 'asset', fileName: LICENCES_FILE, source: licences });
      this.emitFile({
        type: 'asset',
        fileName: SBOM_FILE,
        source: createSbom({ ...manifest, ...programInfo }, code, packages),
      });
    },
  };
}
