/** The fields of a package's package.json that this module reads. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: object;
  readonly devDependencies?: object;
  /** The public entry points, and the TypeScript file of each. */
  readonly exports: Readonly<Record<string, string>>;
  /** Commands, and the TypeScript file of each. */
  readonly bin?: Readonly<Record<string, string>>;
  /** Files with side effects on import; `false` when the package has no such file. */
  readonly sideEffects?: false | readonly string[];
}

/**
 * The published package.json: exports point to the built JavaScript and its types, and fields that only this repository needs are left out.
 */
export function createPublishedManifest(manifest: PackageManifest): object {
  const { private: _, scripts: __, devDependencies: ___, exports, bin = {}, sideEffects, ...rest } = manifest;
  const builtExports = Object.entries(exports).map(([name, source]) => [name, getBuiltFiles(source)] as const);
  const commands = Object.entries(bin).map(([name, source]) => [name, getBuiltFiles(source).default] as const);
  return {
    ...rest,
    ...(sideEffects === false && { sideEffects }),
    ...(Array.isArray(sideEffects) && { sideEffects: sideEffects.map((source) => getBuiltFiles(source).default) }),
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    exports: { ...Object.fromEntries(builtExports), './package.json': './package.json' },
  };
}

function getBuiltFiles(source: string): { readonly types: string; readonly default: string } {
  if (!/^\.\/.*(?<!\.d)\.ts$/.test(source))
    throw new Error(`exports and commands must be TypeScript files of the package, not ${source}`);
  const stem = source.slice(0, -'.ts'.length);
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
