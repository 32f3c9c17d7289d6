/** Hints to put a text in quotes; they quote the text of the manifest. */
import { QUOTES_FIX } from '../../../api/v1/template-advice.ts';

/** Characters that cannot begin a text without quotes. */
const RESERVED = /^(\s*(?:- +)*["']?([\w./-]+)["']?: +|\s*(?:- +)+|.*[{,] *["']?(\w+)["']?: +)([*&@%`].*)$/;

const MAX_LENGTH = 100;

/** A hint for a line that is invalid YAML because a text has no quotes; `undefined` for other causes. */
export function suggestQuotes(line: string): string | undefined {
  const [, before = '', key, keyInFlow, rest] = RESERVED.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const text = cutValue(rest, /[{[]/.test(before));
  if (text.length > MAX_LENGTH) return undefined;
  return `; put ${(key ?? keyInFlow) === 'schedule' ? 'the schedule' : 'it'} in quotes: ${JSON.stringify(text)}`;
}

/** The text without a comment, and without the rest of a map on one line. */
function cutValue(text: string, isFlow: boolean): string {
  const [value = ''] = text.split(/\s#/);
  return (isFlow ? value.split(/,\s|[}\]]/)[0] : value)?.trim() ?? '';
}

/** A number or a boolean as written. */
const OWN_TEXT = /^[\w.+:~-]+/;

/**
 * Replaces the text to quote at the end of a message with the text in the manifest: the value does not show whether a true was
 * written as `yes` or `on`.
 * @param source The manifest from the value on.
 */
export function quoteSourceText(message: string, source: string): string {
  const end = message.lastIndexOf(QUOTES_FIX) + QUOTES_FIX.length;
  const [own] = OWN_TEXT.exec(source) ?? [];
  return end < QUOTES_FIX.length || own === undefined ? message : `${message.slice(0, end)}${JSON.stringify(own)}`;
}
