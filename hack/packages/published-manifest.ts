import { createDependencyFields } from './copied-dependencies.ts';

/** The fields of package.json that this module reads. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
  /** The TypeScript file of each public entry point. */
  readonly exports: Readonly<Record<string, string>>;
  /** The TypeScript file of each command. */
  readonly bin?: Readonly<Record<string, string>>;
  /** Files whose import has side effects, or `false` if there are none. */
  readonly sideEffects?: false | readonly string[];
}

/** The entry point for the other programs of this repository. */
const INTERNAL_EXPORT = './internal';

/** The place of a package in the repository, for the links of package.json. */
export interface PackageOrigin {
  /** URL of the project. Without a URL, the package has no links, because the project has no public address. */
  readonly homepage?: string | undefined;
  /** Folder of the package in the repository. */
  readonly folder: string;
}

/**
 * Returns the published package.json, whose exports are the built JavaScript and its types. Omits fields that only this repository needs.
 */
export function createPublishedManifest(manifest: PackageManifest, origin: PackageOrigin): object {
  const { private: _, scripts: __, devDependencies: ___, exports, bin = {}, sideEffects, ...rest } = manifest;
  const publicExports = Object.entries(exports).filter(([name]) => name !== INTERNAL_EXPORT);
  const builtExports = publicExports.map(([name, source]) => [name, getBuiltFiles(source)] as const);
  const commands = Object.entries(bin).map(([name, source]) => [name, getBuiltFiles(source).default] as const);
  return {
    ...rest,
    ...createLinks(origin),
    ...(sideEffects === false && { sideEffects }),
    ...(Array.isArray(sideEffects) && { sideEffects: sideEffects.map((source) => getBuiltFiles(source).default) }),
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    ...(rest.dependencies && createDependencyFields(rest.dependencies)),
    exports: { ...Object.fromEntries(builtExports), './package.json': './package.json' },
  };
}

/** The JavaScript files of the published entry points and commands. */
export function listEntries({ exports, bin = {} }: PackageManifest): readonly string[] {
  const { [INTERNAL_EXPORT]: _, ...published } = exports;
  return [...Object.values(published), ...Object.values(bin)].map((source) => getBuiltFiles(source).default);
}

/** Returns the fields of package.json with the address of the package. npm compares them with the origin of a published package. */
export function createLinks({ homepage, folder }: PackageOrigin): object {
  if (homepage === undefined) return {};
  return {
    homepage: `${homepage}/tree/main/${folder}#readme`,
    bugs: `${homepage}/issues`,
    repository: { type: 'git', url: `git+${homepage}.git`, directory: folder },
  };
}

function getBuiltFiles(source: string): { readonly types: string; readonly default: string } {
  if (!/^\.\/.*(?<!\.d)\.ts$/.test(source))
    throw new Error(`exports and commands must be TypeScript files of the package, not ${source}`);
  const stem = source.slice(0, -'.ts'.length);
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
