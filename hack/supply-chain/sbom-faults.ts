/** Whether a list of what is in the image can be relied on. */

import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import type { BundledPackage } from './bundled-packages.ts';
import { packageUrl } from './sbom.ts';

/** An address could be that of a registry, which is nobody's business. The schema's own is an identifier. */
const ADDRESS = /https?:\/\/(?!cyclonedx\.org\/schema\/)[^"\s]*/g;

/** One sentence for each fault: against the CycloneDX schema, a bundled package that is missing, an address. */
export async function sbomFaults(text: string, packages: readonly BundledPackage[]): Promise<readonly string[]> {
  const faults: string[] = [];
  const invalid = await new JsonStrictValidator(Version.v1dot6).validate(text);
  if (invalid !== null) faults.push(`the SBOM breaks the CycloneDX schema: ${JSON.stringify(invalid)}`);
  for (const [address] of text.matchAll(ADDRESS)) faults.push(`the SBOM has an address in it: ${address}`);

  const listed = new Set([...text.matchAll(/"purl": "([^"]+)"/g)].map(([, purl]) => purl));
  for (const { name, version } of packages) {
    if (!listed.has(packageUrl(name, version))) faults.push(`${name}@${version} is bundled and not in the SBOM`);
  }
  return faults;
}
