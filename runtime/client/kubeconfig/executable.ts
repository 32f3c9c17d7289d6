import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/**
 * The file to run: the command itself where it has a slash, else the first of that name in `path`. As in Go, a relative folder of
 * `path` does not count, as it would change with the working directory.
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
