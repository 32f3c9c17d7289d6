/** What of a package's package.json is read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: object;
  readonly devDependencies?: object;
  /** What others may import, and the TypeScript file it leads to. */
  readonly exports: Readonly<Record<string, string>>;
}

/**
 * The package.json that is published: exports lead to the built JavaScript and its types, and what only this repository needs is
 * left out.
 */
export function publishedManifest(manifest: Manifest): object {
  const { private: _, scripts: __, devDependencies: ___, exports, ...rest } = manifest;
  const built = Object.entries(exports).map(([name, source]) => [name, builtFilesOf(source)] as const);
  return { ...rest, exports: { ...Object.fromEntries(built), './package.json': './package.json' } };
}

function builtFilesOf(source: string): { readonly types: string; readonly default: string } {
  if (!/^\.\/.*(?<!\.d)\.ts$/.test(source))
    throw new Error(`exports must name TypeScript files of ours, not ${source}`);
  const stem = source.slice(0, -'.ts'.length);
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
