/** Computes the columns of a text on a terminal. */
import { eastAsianWidth } from 'get-east-asian-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The characters of `text` as a user counts them: an accent or a joined emoji is part of one character. */
export function splitCharacters(text: string): readonly string[] {
  return IS_ASCII.test(text) ? [...text] : Array.from(graphemes.segment(text), ({ segment }) => segment);
}

const IS_ASCII = /^[\x20-\x7e]*$/;

/** The width in columns of a text without control characters. */
export function measureWidth(text: string): number {
  return IS_ASCII.test(text)
    ? text.length
    : splitCharacters(text).reduce((sum, each) => sum + measureCharacter(each), 0);
}

function measureCharacter(character: string): number {
  if (IS_INVISIBLE.test(character)) return 0;
  if (IS_EMOJI.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

const IS_INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Without the flag v, because an old Node must be able to parse this file to report that it is too old. */
const IS_EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;
