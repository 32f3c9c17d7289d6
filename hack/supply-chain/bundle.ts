/** The bundle as the build would write it, without writing it. */
import { join } from 'node:path';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';
import { LICENCES_FILE, SBOM_FILE } from './rolldown-plugin.ts';

const PROJECT = join(import.meta.dirname, '../..');

export interface Bundle {
  /** The text of manager.mjs. */
  readonly code: string;
  readonly packages: readonly BundledPackage[];
  /** Text of the file with the licences. */
  readonly licences: string;
  /** Text of the SBOM. */
  readonly sbom: string;
}

/** Takes some seconds. Throws when the build fails, as it does when a licence is not allowed. */
export async function bundle(): Promise<Bundle> {
  const { output: target, ...input } = config;
  if (Array.isArray(target)) throw new Error('rolldown.config.ts names several outputs: one manager is expected');
  const { output } = await build({
    ...input,
    ...(target === undefined ? {} : { output: target }),
    cwd: PROJECT,
    write: false,
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  const asset = (name: string) => {
    const found = output.find(({ fileName }) => fileName === name);
    if (found?.type !== 'asset') throw new Error(`the build wrote no ${name}`);
    return String(found.source);
  };
  return {
    code: chunks.map(({ code }) => code).join(''),
    packages: bundledPackages(
      chunks.flatMap(({ modules }) => Object.keys(modules)),
      join(PROJECT, 'node_modules/rolldown'),
    ),
    licences: asset(LICENCES_FILE),
    sbom: asset(SBOM_FILE),
  };
}
