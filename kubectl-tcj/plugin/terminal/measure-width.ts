/** Measures the width of a text on a terminal. */
import { eastAsianWidth } from 'get-east-asian-width';

const graphemeSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits `text` into grapheme clusters, such as a letter with a combining accent, or an emoji of several code points. */
export function splitCharacters(text: string): readonly string[] {
  return ASCII_TEXT.test(text) ? [...text] : Array.from(graphemeSegmenter.segment(text), ({ segment }) => segment);
}

const ASCII_TEXT = /^[\x20-\x7e]*$/;

/** Returns the number of terminal columns that `text` needs. The text must not contain control characters. */
export function measureWidth(text: string): number {
  return ASCII_TEXT.test(text)
    ? text.length
    : splitCharacters(text).reduce((sum, each) => sum + measureCharacter(each), 0);
}

function measureCharacter(character: string): number {
  if (INVISIBLE_PATTERN.test(character)) return 0;
  if (EMOJI_PATTERN.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

const INVISIBLE_PATTERN = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/**
 * The expression does not use the flag `v`, because an old version of Node must parse this file before it can report
 * that its version is too old.
 */
const EMOJI_PATTERN = /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;
