/**
 * Replaces characters in `text` that would control a terminal or hide text.
 * @param shown The replacement of such a character. Default: its number.
 */
export function escapeUnprintable(text: string, replace: (character: string) => string = formatCodePoint): string {
  return IS_PLAIN.test(text)
    ? text
    : text.replace(UNPRINTABLE, (character, joiner?: string) => joiner ?? replace(character));
}

/** Does the same for a text of several lines, which may have tabs. */
export function escapeUnprintableLines(text: string, replace = formatCodePoint): string {
  return ARE_PLAIN.test(text) ? text : text.replace(/[^\n\t]+/g, (line) => escapeUnprintable(line, replace));
}

const IS_PLAIN = /^[\x20-\x7e]*$/;
/** Matches nearly all text. */
const ARE_PLAIN = /^[\n\t\x20-\x7e]*$/;

function formatCodePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Joiners and selectors where they change the visible text: in emoji, and in scripts that need them. */
const VISIBLE_JOINERS = [
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\p{Script=Arabic}\p{M}])[\u200c\u200d](?=\p{L})`,
].join('|');

/** Control characters, invisible characters (including writing directions), line separators and unpaired surrogates. */
const UNPRINTABLE = new RegExp(
  String.raw`(${VISIBLE_JOINERS})|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`,
  'gu',
);
