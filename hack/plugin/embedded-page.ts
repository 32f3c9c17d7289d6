/** Puts the page of `kubectl tcj ui` into the bundle of the plugin, which is one file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { PAGE_FILES } from '../../plugin/ui/page-file-names.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** The module that reads the files, of which the bundle has none. */
const READER = join(PROJECT, 'plugin/ui/page-files.ts');

/**
 * Takes the place of plugin/ui/page-files.ts. Where the page was not built, the command says so.
 * @param folder What the build of ui/ has written.
 */
export function embeddedPage(folder: string = join(PROJECT, 'dist/ui')): Plugin {
  return {
    name: 'embedded-page',
    load(id) {
      if (id !== READER) return null;
      if (existsSync(join(folder, 'index.html'))) return { code: moduleWith(folder), moduleType: 'js' };
      this.warn(`${folder} has no page: kubectl tcj ui will say so. make build makes it.`);
      return { code: WITHOUT_PAGE, moduleType: 'js' };
    },
  };
}

function moduleWith(folder: string): string {
  const files = PAGE_FILES.map(({ name, type }) => [
    `/${name}`,
    { type, body: readFileSync(join(folder, name), 'utf8') },
  ]);
  return `export function pageFiles() { return new Map(${JSON.stringify(files)}); }`;
}

const WITHOUT_PAGE = `
  import { CommandError } from '../command.ts';
  import { NO_PAGE } from './page-file-names.ts';
  export function pageFiles() { throw new CommandError(NO_PAGE); }
`;
