/** Builds the page of `kubectl tcj ui` out of ui/, and puts it into the bundle of the plugin, which is one file. */
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { build, type Rolldown } from 'vite';
import { PAGE_FILES } from '../../kubectl-tcj/plugin/ui-server/page-file-names.ts';

const FOLDER = join(import.meta.dirname, '../../kubectl-tcj/ui');

export interface BuiltPage {
  /** By their paths, such as `/app.js`. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly body: string }>;
  /** Paths of all that is in it: their packages' licences come with it. */
  readonly modules: readonly string[];
}

/** Takes about a second. Writes no file. */
export async function buildPage(): Promise<BuiltPage> {
  const configFile = join(FOLDER, 'vite.config.ts');
  const built = (await build({
    root: FOLDER,
    configFile,
    logLevel: 'warn',
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  const files = PAGE_FILES.map(({ name, type }) => {
    const found = built.output.find(({ fileName }) => fileName === name);
    if (found === undefined) throw new Error(`the build of ${FOLDER} has no ${name}`);
    return [`/${name}`, { type, body: bodyOf(found) }] as const;
  });
  const modules = built.output.flatMap((output) => (output.type === 'chunk' ? Object.keys(output.modules) : []));
  return { files: new Map(files), modules };
}

/** The module that reads the files, of which the bundle has none. */
const READER = join(import.meta.dirname, '../../kubectl-tcj/plugin/ui-server/page-files.ts');

export interface EmbeddedPage {
  /** Builds the page, and takes the place of kubectl-tcj/plugin/ui-server/page-files.ts. */
  readonly plugin: Plugin;
  /** Paths of what is in the page, once it is built. */
  readonly modules: () => readonly string[];
}

export function embeddedPage(): EmbeddedPage {
  let modules: readonly string[] = [];
  return {
    plugin: {
      name: 'embedded-page',
      async load(id) {
        if (id !== READER) return null;
        const page = await buildPage();
        modules = page.modules;
        return {
          code: `export function pageFiles() { return new Map(${JSON.stringify([...page.files])}); }`,
          moduleType: 'js',
        };
      },
    },
    modules: () => modules,
  };
}

function bodyOf(output: Rolldown.OutputChunk | Rolldown.OutputAsset): string {
  if (output.type === 'chunk') return output.code;
  return typeof output.source === 'string' ? output.source : new TextDecoder().decode(output.source);
}
