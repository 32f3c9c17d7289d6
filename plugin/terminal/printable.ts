/** `text` without what would steer a terminal, or hide what stands there: such characters are shown by their numbers. */
export function printable(text: string): string {
  return text.replace(UNSHOWN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Control characters, directions of writing, line separators and unpaired surrogates. Not the joiners of emoji. */
const UNSHOWN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
