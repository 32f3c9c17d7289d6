/**
 * Parses YAML with the same result as kubectl and the API server, which use sigs.k8s.io/yaml. The Go package
 * sigs.k8s.io/yaml converts the result of go-yaml v2 to JSON. The parser go-yaml v2 has the syntax of libyaml, but
 * different rules for scalars (docs/adr/0037-yaml-as-kubectl.md).
 */
import { composeYaml } from './compose.ts';
import { toJsonValue } from './to-json-value.ts';
import { YamlError } from './yaml-error.ts';

/** Parses the first document of a text. Returns `null` for an empty string. Throws a {@link YamlError}. */
export function readYaml(text: string): unknown {
  const root = composeYaml(text, { start: 0, end: text.length });
  return root === undefined ? null : toJsonValue(root);
}

/** Parses a text as YAML. Tries JSON.parse first, which is 100 times faster. Throws a {@link YamlError}. */
export function readJsonOrYaml(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text);
  }
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Throws a {@link YamlError} if the bytes are invalid in the detected
 * encoding.
 */
export function decodeYaml(bytes: Uint8Array): string {
  try {
    return new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new YamlError('the text is neither UTF-8 nor UTF-16 with a byte order mark', 0);
  }
}

/** Detects the encoding by the byte order mark. Default: UTF-8. */
export function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
