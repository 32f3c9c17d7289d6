import { BROWSER_CRON_PARSER } from './browser-cron-parser.ts';

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

/**
 * Returns the published package.json, whose exports are the built JavaScript and its types. Omits fields that only this repository needs.
 */
export function createPublishedManifest(manifest: PackageManifest): object {
  const { private: _, scripts: __, devDependencies: ___, exports, bin = {}, sideEffects, ...rest } = manifest;
  const publicExports = Object.entries(exports).filter(([name]) => name !== INTERNAL_EXPORT);
  const builtExports = publicExports.map(([name, source]) => [name, getBuiltFiles(source)] as const);
  const commands = Object.entries(bin).map(([name, source]) => [name, getBuiltFiles(source).default] as const);
  return {
    ...rest,
    ...(sideEffects === false && { sideEffects }),
    ...(Array.isArray(sideEffects) && { sideEffects: sideEffects.map((source) => getBuiltFiles(source).default) }),
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    ...(rest.dependencies?.['cron-parser'] !== undefined && { browser: { 'cron-parser': `./${BROWSER_CRON_PARSER}` } }),
    exports: { ...Object.fromEntries(builtExports), './package.json': './package.json' },
  };
}

function getBuiltFiles(source: string): { readonly types: string; readonly default: string } {
  if (!/^\.\/.*(?<!\.d)\.ts$/.test(source))
    throw new Error(`exports and commands must be TypeScript files of the package, not ${source}`);
  const stem = source.slice(0, -'.ts'.length);
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
