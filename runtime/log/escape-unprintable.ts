/**
 * Matches control characters, line separators and characters that change the writing direction. Unprintable characters
 * could clear the screen of a terminal or falsify its content.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const UNPRINTABLE_PATTERN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Escapes unprintable characters as in JSON. The escapes do not change the meaning of a JSON document. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE_PATTERN, (character) => SHORT_ESCAPES[character] ?? escapeCodeUnit(character));
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
