import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/**
 * Returns the file to run: the command itself if it contains a slash, else the first file of that name in `path`. As in
 * Go, relative folders of `path` do not count, because they would change with the working directory.
 */
export function executableIn(command: string, path: string): string | undefined {
  if (command.includes(sep)) return isExecutable(command) ? command : undefined;
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable);
  return found !== undefined && isAbsolute(found) ? found : undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return !statSync(file).isDirectory();
  } catch {
    return false;
  }
}
