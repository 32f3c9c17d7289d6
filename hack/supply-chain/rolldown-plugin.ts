/** Writes the files that accompany the bundle: the licences of its content, and the SBOM. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { findBundledPackages } from './bundled-packages.ts';
import { findLicenceProblems, formatThirdPartyLicences } from './licences.ts';
import { createSbom, type Project } from './sbom.ts';

/** Names of the files, in the bundle's folder. */
export const LICENCES_FILE = 'THIRD_PARTY_LICENSES';
export const SBOM_FILE = 'sbom.cdx.json';

type ProgramInfo = Pick<Project, 'name' | 'description'>;

/**
 * The plugin. The build fails when the licence of a bundled package is unknown, or its text is missing.
 *
 * @param project The project's folder, with package.json and node_modules in it.
 * @param programInfo The bundled program, when package.json describes another one.
 * @param listEmbeddedModules Paths of modules that the bundle contains as text.
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
