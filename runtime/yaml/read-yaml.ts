/**
 * Reads YAML as kubectl and the API server do: sigs.k8s.io/yaml, which converts the result of go-yaml v2 to JSON. The
 * dialect has the syntax of libyaml, and its own scalars: docs/adr/0037-yaml-as-kubectl.md.
 */
import { composeYaml } from './compose.ts';
import { toJsonValue } from './to-json-value.ts';
import { YamlError } from './yaml-error.ts';

/**
 * Returns the value of the first document, or `null` for an empty text; like kubectl, ignores other documents. Throws a
 * {@link YamlError}.
 */
export function readYaml(text: string): unknown {
  const root = composeYaml(text, { start: 0, end: text.length });
  return root === undefined ? null : toJsonValue(root);
}

/**
 * Reads a text as Kubernetes reads its own kinds from a file: as JSON if it is JSON, which takes a hundredth of the
 * time, else as YAML. Throws a {@link YamlError}.
 */
export function readJsonOrYaml(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text);
  }
}

/** Decodes the text of a file: UTF-8 or, with a byte order mark, UTF-16. Throws a {@link YamlError} for other bytes. */
export function decodeYaml(bytes: Uint8Array): string {
  try {
    return new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new YamlError('the text is neither UTF-8 nor UTF-16 with a byte order mark', 0);
  }
}

/** Returns the encoding of the byte order mark; UTF-8 without one. */
export function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
