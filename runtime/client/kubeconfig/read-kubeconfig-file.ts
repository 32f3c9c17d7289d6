/**
 * Reads a kubeconfig file. Error messages do not contain the content of the file, because the file may contain secrets.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { isRecord } from '../../kubernetes/is-record.ts';
import { decodeYaml, readJsonOrYaml } from '../../yaml/read-yaml.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { createKubeConfigError, getErrorCode } from './kubeconfig-error.ts';
import { checkFields, isString, type Mapping } from './kubeconfig-fields.ts';

/**
 * Returns the content of a kubeconfig file, or `undefined` if the file does not exist. Throws a
 * {@link ConfigurationError} if the file is invalid. An empty file is a valid kubeconfig, as in client-go.
 */
export function readKubeConfigFile(file: string): Mapping | undefined {
  const bytes = readFileIfExists(file);
  if (bytes === undefined) return undefined;
  const content = parseYaml(file, bytes) ?? {};
  if (!isRecord(content))
    throw createKubeConfigError(file, 'is not a YAML mapping; write a kubeconfig, or use another file');
  const { kind, apiVersion } = content;
  if (!isEmptyOrOneOf(kind, 'Config') || !isEmptyOrOneOf(apiVersion, 'v1', '/v1')) {
    throw createKubeConfigError(file, 'must have apiVersion v1 and kind Config; correct it, or use another file');
  }
  checkFields(`${file}:`, 'config', content);
  return content;
}

function isEmptyOrOneOf(value: unknown, ...allowedValues: readonly string[]): boolean {
  return value === undefined || value === null || value === '' || (isString(value) && allowedValues.includes(value));
}

function readFileIfExists(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT') return undefined;
    throw createKubeConfigError(file, `cannot be read (${code}); make it readable, or use another file`);
  }
}

/** Reads the file that a field of the kubeconfig refers to. */
export function readReferencedFile(source: string, field: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw createKubeConfigError(
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

/**
 * The message of a syntax error contains only the position, because the message of the parser would contain text of the
 * file.
 */
function parseYaml(file: string, bytes: Uint8Array): unknown {
  let text = '';
  try {
    text = decodeYaml(bytes);
    return readJsonOrYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw createKubeConfigError(
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
