/**
 * Control characters, line separators and marks that change the writing direction. On a terminal, they could clear the
 * screen, change its content or add lines.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those it is about.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns `text` with unprintable characters escaped as in JSON, so that JSON keeps its meaning. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT[character] ?? escapeCodeUnit(character));
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCodeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
