/** Creates the SBOM of the image, a CycloneDX document for vulnerability scanners. */
import { createHash } from 'node:crypto';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import type { BundledPackage } from './bundled-packages.ts';

/** The bundle contains helpers of Rolldown. */
const BUNDLER_PACKAGE = 'rolldown';
/** Matches URLs, which may contain the address of a private registry, except for the URL of the schema. */
const URL_PATTERN = /https?:\/\/(?!cyclonedx\.org\/schema\/)[^"\s]*/g;

/** Fields of package.json that go into the SBOM. */
export interface Project {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** The field `node` is the version of Node in the image. */
  readonly devDependencies: { readonly node: string };
}

/**
 * Returns the document as JSON, with the hash of the bundle, its packages, and Node. The document has no date and no serial number, so that
 * it is reproducible, and no URLs, because the URL of a package contains the registry.
 *
 * @param bundle Content of manager.mjs.
 */
export function createSbom(project: Project, bundle: string, packages: readonly BundledPackage[]): string {
  const { name, version, description, license, dependencies } = project;
  const node = createNodeComponent(project.devDependencies.node);
  const findRefs = (names: readonly string[]) =>
    packages.filter((each) => names.includes(each.name)).map(formatPackageUrl);
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name,
        version,
        'bom-ref': name,
        description,
        licenses: [{ expression: license }],
        hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(bundle).digest('hex') }],
      },
    },
    components: [node, ...packages.map(createLibraryComponent)],
    dependencies: [
      { ref: name, dependsOn: [node['bom-ref'], ...findRefs([...Object.keys(dependencies), BUNDLER_PACKAGE])] },
      { ref: node['bom-ref'] },
      ...packages.map((each) => ({ ref: formatPackageUrl(each), dependsOn: findRefs(each.dependencies) })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Returns one sentence for each violation of the CycloneDX schema, missing package, and URL. */
export async function findSbomProblems(text: string, packages: readonly BundledPackage[]): Promise<readonly string[]> {
  const validationError = await new JsonStrictValidator(Version.v1dot6).validate(text);
  const listedPurls = new Set([...text.matchAll(/"purl": "([^"]+)"/g)].map(([, purl]) => purl));
  return [
    ...(validationError === null ? [] : [`the SBOM violates the CycloneDX schema: ${JSON.stringify(validationError)}`]),
    ...[...text.matchAll(URL_PATTERN)].map(([address]) => `the SBOM contains an address: ${address}`),
    ...packages
      .filter((each) => !listedPurls.has(formatPackageUrl(each)))
      .map(({ name, version }) => `${name}@${version} is bundled but missing in the SBOM`),
  ];
}

function createLibraryComponent(bundledPackage: BundledPackage) {
  const { name, version, licence } = bundledPackage;
  const [scope, rest] = name.startsWith('@') ? name.split('/', 2) : [undefined, name];
  const purl = formatPackageUrl(bundledPackage);
  return {
    type: 'library',
    ...(scope === undefined ? {} : { group: scope }),
    name: rest,
    version,
    'bom-ref': purl,
    purl,
    ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
  };
}

/** Scanners identify Node by its CPE, because Node is not a package of a registry. */
function createNodeComponent(version: string) {
  const purl = `pkg:generic/node@${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'platform', name: 'node', version, 'bom-ref': purl, cpe, purl };
}

/** Returns the package URL, which identifies an npm package independently of its registry. */
function formatPackageUrl({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
