/** Checks the licences of bundled packages, and formats the licence file of a bundle. */
import type { BundledPackage } from './bundled-packages.ts';

/** The SPDX ids of licences that allow the use in an Apache-2.0 program if their text is included. */
const ALLOWED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
];

const SEPARATOR = '-'.repeat(80);

/** Returns one sentence for each package without an allowed licence or a licence text. */
export function findLicenceProblems(packages: readonly BundledPackage[]): readonly string[] {
  return packages.flatMap(({ name, version, licence, texts }) => {
    const subject = `${name}@${version} is bundled`;
    const problems: string[] = [];
    if (licence === undefined) problems.push(`${subject}, but its package.json has no licence`);
    else if (!ALLOWED_LICENCES.includes(licence)) {
      problems.push(`${subject}, but its licence ${licence} is not allowed in hack/supply-chain/licences.ts`);
    }
    if (texts.length === 0) problems.push(`${subject}, but has no file with the text of its licence`);
    return problems;
  });
}

/**
 * Returns the licences and notices of all bundled packages as plain text. Throws an Error with the licence problems, if any.
 *
 * @param bundle Name of the file that contains the packages.
 */
export function formatThirdPartyLicences(bundle: string, packages: readonly BundledPackage[]): string {
  const problems = findLicenceProblems(packages);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const sections = packages.map(({ name, version, licence, texts }) =>
    [
      `${SEPARATOR}\n${name} ${version}\nLicence: ${licence}\n${SEPARATOR}`,
      ...texts.map(({ path, text }) => `[${path}]\n\n${text}`),
    ].join('\n\n'),
  );
  return `${bundle} contains code of the packages below, under these licences.\n\n${sections.join('\n\n\n')}\n`;
}
