/**
 * Control characters, separators of lines and marks that turn the direction of writing. Written to a terminal, they could clear it,
 * change what stands there or add lines of their own.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those it is about.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** `text` with what is not printable as JSON escapes it, so that JSON stays the same JSON. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT[character] ?? escapeCodeUnit(character));
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
