/**
 * Reads YAML as kubectl and the API server do: sigs.k8s.io/yaml, which makes JSON of what go-yaml v2 reads. Its dialect has the syntax of
 * libyaml, and scalars of its own: docs/adr/0037-yaml-as-kubectl.md.
 */
import { composeYaml } from './compose.ts';
import { yamlValue } from './value.ts';
import { YamlError } from './yaml-error.ts';

/** The value of the first document, `null` when there is none; as kubectl, it does not look at others. Throws a {@link YamlError}. */
export function readYaml(text: string): unknown {
  const root = composeYaml(text, { start: 0, end: text.length });
  return root === undefined ? null : yamlValue(root);
}

/** As Kubernetes reads its own kinds from a file: JSON when it is JSON, which takes a hundredth of the time, else YAML. Throws a {@link YamlError}. */
export function readJsonOrYaml(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text);
  }
}

/** The text of a file: UTF-8 or, with a byte order mark, UTF-16. Throws a {@link YamlError} for other bytes. */
export function yamlText(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new YamlError('the text is neither UTF-8 nor UTF-16 with a byte order mark', 0);
  }
}

/** What the byte order mark says; UTF-8 without one. */
export function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
