/** JSON and YAML for a terminal: what steers it, or cannot be seen, is escaped as the format has it, so that the value stays the same. */
import { Document, isScalar, visit } from 'yaml';
import { printable, printableLines } from './printable.ts';

/** Ends with a line break. */
export function asJson(value: unknown): string {
  return escapedJson(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** The same for JSON that is written already. */
export function escapedJson(json: string): string {
  return printableLines(json, (character) => character.split('').map(escapedInYaml).join(''));
}

export function asYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // Only these have escapes in YAML.
      if (isScalar<unknown>(node) && typeof node.value === 'string' && printable(node.value) !== node.value) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return printableLines(String(document), escapedInYaml);
}

function escapedInYaml(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16);
  return number.length > 4 ? `\\U${number.padStart(8, '0')}` : `\\u${number.padStart(4, '0')}`;
}
