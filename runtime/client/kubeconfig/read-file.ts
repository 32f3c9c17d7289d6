/** Reads one kubeconfig file as client-go does. Errors never contain its content. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { isRecord } from '../../kubernetes/is-record.ts';
import { decodeYaml, readJsonOrYaml } from '../../yaml/read-yaml.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { checkFields, isString, type Mapping } from './fields.ts';
import { getErrorCode, kubeConfigError } from './kubeconfig-error.ts';

/**
 * Returns `undefined` when the file does not exist. An empty file is an empty kubeconfig. Every field has the type that
 * client-go requires.
 */
export function readKubeConfigFile(file: string): Mapping | undefined {
  const bytes = readIfExists(file);
  if (bytes === undefined) return undefined;
  const content = parse(file, bytes) ?? {};
  if (!isRecord(content)) throw kubeConfigError(file, 'is not a YAML mapping; write a kubeconfig, or use another file');
  const { kind, apiVersion } = content;
  if (!isUnsetOrOneOf(kind, 'Config') || !isUnsetOrOneOf(apiVersion, 'v1', '/v1')) {
    throw kubeConfigError(file, 'must have apiVersion v1 and kind Config; correct it, or use another file');
  }
  checkFields(`${file}:`, 'config', content);
  return content;
}

/** An empty value stands for the expected one. */
function isUnsetOrOneOf(value: unknown, ...allowed: readonly string[]): boolean {
  return value === undefined || value === null || value === '' || (isString(value) && allowed.includes(value));
}

function readIfExists(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT') return undefined;
    throw kubeConfigError(file, `cannot be read (${code}); make it readable, or use another file`);
  }
}

/** The content of the file that a field names. */
export function readBytes(source: string, field: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw kubeConfigError(
      source,
      `${field} ${file} cannot be read (${getErrorCode(error)}); make it readable, or use another file`,
    );
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
    throw kubeConfigError(
      file,
      `is not valid YAML${formatPosition(text, error.offset)}; correct it, or use another file`,
    );
  }
}

function formatPosition(text: string, offset: number): string {
  if (text === '') return '';
  const linesBefore = text.slice(0, offset).split('\n');
  return ` at line ${linesBefore.length}, column ${(linesBefore.at(-1)?.length ?? 0) + 1}`;
}
