/** Reads one kubeconfig file as client-go does. Errors never contain its content. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { isRecord } from '../../kubernetes/is-record.ts';
import { decodeYaml, readJsonOrYaml } from '../../yaml/read-yaml.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { checkFields, isText, type Mapping } from './fields.ts';
import { codeOf, problem } from './problem.ts';

/**
 * Returns `undefined` when the file does not exist. An empty file is an empty kubeconfig. Every field has the type that
 * client-go requires.
 */
export function readKubeConfigFile(file: string): Mapping | undefined {
  const bytes = bytesOf(file);
  if (bytes === undefined) return undefined;
  const content = parse(file, bytes) ?? {};
  if (!isRecord(content)) throw problem(file, 'is not a YAML mapping; write a kubeconfig, or give another file');
  const { kind, apiVersion } = content;
  if (!isOneOf(kind, 'Config') || !isOneOf(apiVersion, 'v1', '/v1')) {
    throw problem(file, 'is not of apiVersion v1 and kind Config; write a kubeconfig, or give another file');
  }
  checkFields(`${file}:`, 'config', content);
  return content;
}

/** An empty value stands for the expected one. */
function isOneOf(value: unknown, ...wanted: readonly string[]): boolean {
  return value === undefined || value === null || value === '' || (isText(value) && wanted.includes(value));
}

function bytesOf(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    throw problem(file, `cannot be read (${code}); make it readable, or give another file`);
  }
}

/** The content of the file that a field names. */
export function readBytes(source: string, field: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw problem(source, `${field} ${file} cannot be read (${codeOf(error)}); make it readable, or give another file`);
  }
}

export function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Reports only the position from the parser's error. */
function parse(file: string, bytes: Uint8Array): unknown {
  let text = '';
  try {
    text = decodeYaml(bytes);
    return readJsonOrYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw problem(file, `is not valid YAML${placeIn(text, error.offset)}; correct it, or give another file`);
  }
}

function placeIn(text: string, offset: number): string {
  if (text === '') return '';
  const before = text.slice(0, offset).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
