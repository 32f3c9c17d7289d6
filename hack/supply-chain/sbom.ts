/** What is in the image, for programs that look for known faults: a CycloneDX document. */
import { createHash } from 'node:crypto';
import { ComponentType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums';
import {
  Bom,
  Component,
  HashDictionary,
  LicenseExpression,
  LicenseRepository,
} from '@cyclonedx/cyclonedx-library/Models';
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize';
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec';
import type { BundledPackage } from './bundled-packages.ts';

/** The bundle has its helpers, though nothing imports it. */
const BUNDLER = 'rolldown';

/** What of package.json is told. */
export interface Project {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** `node` is the version in the image. */
  readonly devDependencies: { readonly node: string };
}

/**
 * The document, as JSON: the bundle with its hash, the packages in it, and Node. It depends on the arguments alone, so it has
 * neither a date nor a serial number; and no addresses, as a package's come from the registry it was installed from.
 *
 * @param bundle The text of manager.mjs.
 */
export function sbom(project: Project, bundle: string, packages: readonly BundledPackage[]): string {
  const document = new Bom();
  const program = new Component(ComponentType.Application, project.name, {
    bomRef: project.name,
    version: project.version,
    description: project.description,
    licenses: licences(project.license),
    hashes: new HashDictionary([[HashAlgorithm['SHA-256'], createHash('sha256').update(bundle).digest('hex')]]),
  });
  document.metadata.component = program;
  const libraries = packages.map((bundled) => ({ bundled, component: library(bundled) }));
  const runtime = node(project.devDependencies.node);
  for (const component of [...libraries.map((each) => each.component), runtime]) document.components.add(component);

  const depend = (component: Component, names: readonly string[]) => {
    const wanted = libraries.filter(({ bundled }) => names.includes(bundled.name));
    for (const { component: dependency } of wanted) component.dependencies.add(dependency.bomRef);
  };
  depend(program, [...Object.keys(project.dependencies), BUNDLER]);
  program.dependencies.add(runtime.bomRef);
  for (const { bundled, component } of libraries) depend(component, bundled.dependencies);
  const serializer = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6));
  return `${serializer.serialize(document, { sortLists: true, space: 2 })}\n`;
}

function library({ name, version, licence }: BundledPackage): Component {
  const purl = packageUrl(name, version);
  const [scope, rest] = name.startsWith('@') ? name.split('/', 2) : [undefined, name];
  return new Component(ComponentType.Library, rest ?? name, {
    ...(scope === undefined ? {} : { group: scope }),
    bomRef: purl,
    version,
    purl,
    ...(licence === undefined ? {} : { licenses: licences(licence) }),
  });
}

/** Scanners know Node by its CPE: it is no package of a registry. */
function node(version: string): Component {
  const purl = `pkg:generic/node@${version}`;
  return new Component(ComponentType.Platform, 'node', {
    bomRef: purl,
    version,
    purl,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  });
}

/** How programs name a package of npm, wherever it was installed from. */
export function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function licences(expression: string): LicenseRepository {
  return new LicenseRepository([new LicenseExpression(expression)]);
}
