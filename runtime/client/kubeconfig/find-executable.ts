import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/**
 * Returns the path of the executable file of a command. Searches the folders of `searchPath` if the command contains no
 * slash. As in Go, a file in a relative folder is rejected, because a relative folder depends on the working directory.
 */
export function findExecutable(command: string, searchPath: string): string | undefined {
  if (command.includes(sep)) return isExecutable(command) ? command : undefined;
  const file = searchPath
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
