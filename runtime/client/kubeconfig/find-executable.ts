import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/**
 * Returns the file to run: the command itself if it contains a slash, else the first file of that name in `path`. As in
 * Go, relative folders of `path` do not count, because they would change with the working directory.
 */
export function findExecutable(command: string, path: string): string | undefined {
  if (command.includes(sep)) return isExecutable(command) ? command : undefined;
  const file = path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable);
  return file !== undefined && isAbsolute(file) ? file : undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return !statSync(file).isDirectory();
  } catch {
    return false;
  }
}
