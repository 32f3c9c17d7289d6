/** Puts the page of `kubectl tcj ui` into the bundle of the plugin, which is one file. */
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { buildPage } from './build-page.ts';

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
