/**
 * Reads the files of the page. The bundler replaces this module with a module that contains the files
 * (hack/plugin/embedded-page.ts).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command.ts';
import { PAGE_FILES, PAGE_NOT_BUILT, type PageFiles } from './page-file-names.ts';

const PAGE_FOLDER = join(import.meta.dirname, '../../../dist/ui');

/** Throws a CommandError if the page is not built. */
export function readPageFiles(folder: string = PAGE_FOLDER): PageFiles {
  if (!existsSync(join(folder, 'index.html'))) throw new CommandError(PAGE_NOT_BUILT);
  return new Map(
    PAGE_FILES.map(({ name, type }) => [`/${name}`, { type, body: readFileSync(join(folder, name), 'utf8') }]),
  );
}
