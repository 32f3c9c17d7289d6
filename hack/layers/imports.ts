import { posix } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** One file's use of another file or package. */
export interface Import {
  /** Path from the project's folder for a file of ours, else the package's or built-in module's name. */
  readonly target: string;
  /** Erased before the program runs. */
  readonly isType: boolean;
  /** First line is 1. */
  readonly line: number;
}

/** What `file` imports, re-exports included. `file` is its path from the project's folder. */
export function importsOf(file: string, source: string): readonly Import[] {
  const { module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`parse ${file}: ${errors[0]?.message}`);
  const found: Import[] = [];
  const add = (specifier: string, start: number, isType: boolean) => {
    found.push({ target: targetOf(file, specifier), isType, line: source.slice(0, start).split('\n').length });
  };
  for (const { moduleRequest, entries, start } of module.staticImports) {
    add(moduleRequest.value, start, entries.length > 0 && entries.every(({ isType }) => isType));
  }
  for (const { moduleRequest, isType, start } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest) add(moduleRequest.value, start, isType);
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const literal = /^['"](.*)['"]$/.exec(source.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[1] !== undefined) add(literal[1], start, false);
  }
  return found;
}

/** Our imports name files with their extension, so resolving one is joining paths. */
function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
