/** Reads one kubeconfig file. Nothing that stands in it comes out in an error. */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { type Field, type FieldType, KUBECONFIG_FIELDS, type Part } from './fields.ts';
import { codeOf, problem } from './problem.ts';

/** A mapping of YAML; what the table of fields knows has been checked. */
export type Mapping = Readonly<Record<string, unknown>>;

/** `undefined` when there is no such file. */
export function readKubeConfigFile(file: string): Mapping | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  const content = text.trim() === '' ? null : parse(file, text);
  if (content === undefined || content === null) throw problem(file, 'is empty; write a kubeconfig into it');
  if (!isMapping(content)) throw problem(file, 'is not a YAML mapping; write a kubeconfig, or give another file');
  const { kind = 'Config', apiVersion = 'v1' } = content;
  if (kind !== 'Config' || apiVersion !== 'v1') throw problem(file, 'is not of apiVersion v1 and kind Config');
  return checked(file, 'config', content);
}

/** Checks the fields of one part. Throws at the first that is refused or has another type. */
export function checked(where: string, part: Part, value: unknown): Mapping {
  if (!isMapping(value)) throw problem(where, 'must be a mapping');
  for (const [name, field] of Object.entries<Field>(KUBECONFIG_FIELDS[part])) {
    const given = value[name];
    if (given === undefined || given === null) continue;
    if (field.kind === 'refused') throw problem(where, `${name} is not supported; ${field.instead}`);
    if (!CHECKS[field.type](given)) throw problem(where, `${name} must be ${WANTED[field.type]}`);
  }
  return value;
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

export function isTextsByName(value: unknown): value is Readonly<Record<string, readonly string[]>> {
  return isMapping(value) && Object.values(value).every(isTexts);
}

const CHECKS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: isText,
  boolean: (value) => typeof value === 'boolean',
  base64: (value) => isText(value) && /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value),
  texts: isTexts,
  'texts by name': isTextsByName,
  object: isMapping,
  list: Array.isArray,
};

const WANTED: Readonly<Record<FieldType, string>> = {
  text: 'a text',
  boolean: 'true or false',
  base64: 'base64',
  texts: 'a list of texts',
  'texts by name': 'a mapping of names to lists of texts',
  object: 'a mapping',
  list: 'a list',
};

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    throw problem(file, `cannot be read (${code}); give a file that the manager may read`);
  }
}

/** The parser's own error has the text in it, so only its place is taken. */
function parse(file: string, text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    throw problem(file, `is not valid YAML${placeOf(error)}; correct it, or give another file`);
  }
}

function placeOf(error: unknown): string {
  const mark = error instanceof Error && 'mark' in error ? error.mark : undefined;
  if (!isMapping(mark) || typeof mark['line'] !== 'number' || typeof mark['column'] !== 'number') return '';
  return ` at line ${mark['line'] + 1}, column ${mark['column'] + 1}`;
}
