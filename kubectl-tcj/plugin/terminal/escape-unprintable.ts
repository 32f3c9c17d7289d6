/**
 * Replaces characters that would control a terminal or hide text.
 * @param replace Returns the replacement of a character. Default: the code point, such as `\u{1b}`.
 */
export function escapeUnprintable(text: string, replace: (character: string) => string = formatCodePoint): string {
  return PLAIN_LINE.test(text)
    ? text
    : text.replace(UNPRINTABLE, (character, joiner?: string) => joiner ?? replace(character));
}

/** Escapes a text with several lines, but keeps line breaks and tabs. */
export function escapeUnprintableLines(text: string, replace = formatCodePoint): string {
  return PLAIN_TEXT.test(text) ? text : text.replace(/[^\n\t]+/g, (line) => escapeUnprintable(line, replace));
}

const PLAIN_LINE = /^[\x20-\x7e]*$/;
/**
 * A fast check for printable text. Nearly all texts match, so the slower search for unprintable characters is rarely
 * necessary.
 */
const PLAIN_TEXT = /^[\n\t\x20-\x7e]*$/;

function formatCodePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Matches joiners and variation selectors that change visible text in emoji and in some scripts. */
const VISIBLE_JOINERS = [
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\p{Script=Arabic}\p{M}])[\u200c\u200d](?=\p{L})`,
].join('|');

/** Matches control characters, invisible characters, line separators and unpaired surrogates. */
const UNPRINTABLE = new RegExp(
  String.raw`(${VISIBLE_JOINERS})|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`,
  'gu',
);
