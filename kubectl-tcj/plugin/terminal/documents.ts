/**
 * Formats JSON and YAML for a terminal. Control characters and invisible characters become escape sequences of JSON or
 * YAML, so a parser returns the same values.
 */
import { Document, isScalar, visit } from 'yaml';
import { escapeUnprintable, escapeUnprintableLines } from './escape-unprintable.ts';

/** Returns JSON with a final line break. */
export function formatJson(value: unknown): string {
  return escapeJson(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function escapeJson(json: string): string {
  return escapeUnprintableLines(json, (character) => character.split('').map(escapeCharacter).join(''));
}

export function formatYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // In YAML, only double-quoted strings can contain escape sequences.
      if (isScalar<unknown>(node) && typeof node.value === 'string' && escapeUnprintable(node.value) !== node.value) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return escapeUnprintableLines(String(document), escapeCharacter);
}

function escapeCharacter(character: string): string {
  const codePoint = (character.codePointAt(0) ?? 0).toString(16);
  return codePoint.length > 4 ? `\\U${codePoint.padStart(8, '0')}` : `\\u${codePoint.padStart(4, '0')}`;
}
