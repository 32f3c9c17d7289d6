/** Hints to put a text in quotes: they quote what stands in the manifest. */
import { QUOTES_FIX } from '../../../api/v1/template-advice.ts';

/** Signs with which no text without quotes may begin. */
const RESERVED = /^(\s*(?:- +)*["']?([\w./-]+)["']?: +|\s*(?:- +)+|.*[{,] *["']?(\w+)["']?: +)([*&@%`].*)$/;

const MAX_LENGTH = 100;

/** For a line that is not YAML because a text is not in quotes; `undefined` when that is not why. */
export function quotingHint(line: string): string | undefined {
  const [, before = '', key, keyInFlow, rest] = RESERVED.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const text = withoutEnd(rest, /[{[]/.test(before));
  if (text.length > MAX_LENGTH) return undefined;
  return `; put ${(key ?? keyInFlow) === 'schedule' ? 'the schedule' : 'it'} in quotes: ${JSON.stringify(text)}`;
}

/** Without a comment, and without what follows in a map on one line. */
function withoutEnd(text: string, isFlow: boolean): string {
  const [value = ''] = text.split(/\s#/);
  return (isFlow ? value.split(/,\s|[}\]]/)[0] : value)?.trim() ?? '';
}

/** A number or a boolean as it is written. */
const OWN_TEXT = /^[\w.+:~-]+/;

/**
 * A message that ends with a text to put in quotes, with that text as it is written: whether a true was `yes` or `on` is not seen in the
 * value.
 * @param source The manifest from the value on.
 */
export function withOwnText(message: string, source: string): string {
  const end = message.lastIndexOf(QUOTES_FIX) + QUOTES_FIX.length;
  const [own] = OWN_TEXT.exec(source) ?? [];
  return end < QUOTES_FIX.length || own === undefined ? message : `${message.slice(0, end)}${JSON.stringify(own)}`;
}
