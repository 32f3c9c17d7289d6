/**
 * Replaces characters in `text` that would control a terminal or hide text.
 * @param shown The replacement of such a character. Default: its number.
 */
export function printable(text: string, shown: (character: string) => string = numberOf): string {
  return IS_PLAIN.test(text) ? text : text.replace(UNSHOWN, (character, kept?: string) => kept ?? shown(character));
}

/** Does the same for a text of several lines, which may have tabs. */
export function printableLines(text: string, shown = numberOf): string {
  return ARE_PLAIN.test(text) ? text : text.replace(/[^\n\t]+/g, (line) => printable(line, shown));
}

const IS_PLAIN = /^[\x20-\x7e]*$/;
/** Matches nearly all text. */
const ARE_PLAIN = /^[\n\t\x20-\x7e]*$/;

function numberOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Joiners and selectors where they change the visible text: in emoji, and in scripts that need them. */
const KEPT = [
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\p{Script=Arabic}\p{M}])[\u200c\u200d](?=\p{L})`,
].join('|');

/** Control characters, invisible characters (including writing directions), line separators and unpaired surrogates. */
const UNSHOWN = new RegExp(
  String.raw`(${KEPT})|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`,
  'gu',
);
