/** Builds the page of `kubectl tcj ui` from ui/, and embeds the page in the bundle of the plugin. */
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { build, type Rolldown } from 'vite';
import { PAGE_FILES } from '../../kubectl-tcj/plugin/ui-server/page-file-names.ts';

const UI_FOLDER = join(import.meta.dirname, '../../kubectl-tcj/ui');

export interface BuiltPage {
  /** Files by path, such as `/app.js`. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly body: string }>;
  /** Paths of the modules in the page, from which the build finds the licences. */
  readonly modules: readonly string[];
}

/** Builds the page in memory, in about a second. */
export async function buildPage(): Promise<BuiltPage> {
  const configFile = join(UI_FOLDER, 'vite.config.ts');
  const buildOutput = (await build({
    root: UI_FOLDER,
    configFile,
    logLevel: 'warn',
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  const files = PAGE_FILES.map(({ name, type }) => {
    const outputFile = buildOutput.output.find(({ fileName }) => fileName === name);
    if (outputFile === undefined) throw new Error(`the build of ${UI_FOLDER} has no ${name}`);
    return [`/${name}`, { type, body: getBody(outputFile) }] as const;
  });
  const modules = buildOutput.output.flatMap((output) => (output.type === 'chunk' ? Object.keys(output.modules) : []));
  return { files: new Map(files), modules };
}

/** This module reads the files of the page from a folder, which the bundle does not contain. */
const PAGE_FILES_MODULE = join(import.meta.dirname, '../../kubectl-tcj/plugin/ui-server/page-files.ts');

export interface EmbeddedPage {
  /** Builds the page, and replaces the module kubectl-tcj/plugin/ui-server/page-files.ts. */
  readonly plugin: Plugin;
  /** Returns the paths of the modules in the page. Call the function after the build. */
  readonly modules: () => readonly string[];
}

export function createEmbeddedPage(): EmbeddedPage {
  let modules: readonly string[] = [];
  return {
    plugin: {
      name: 'embedded-page',
      async load(id) {
        if (id !== PAGE_FILES_MODULE) return null;
        const page = await buildPage();
        modules = page.modules;
        return {
          code: `export function readPageFiles() { return new Map(${JSON.stringify([...page.files])}); }`,
          moduleType: 'js',
        };
      },
    },
    modules: () => modules,
  };
}

function getBody(output: Rolldown.OutputChunk | Rolldown.OutputAsset): string {
  if (output.type === 'chunk') return output.code;
  return typeof output.source === 'string' ? output.source : new TextDecoder().decode(output.source);
}
