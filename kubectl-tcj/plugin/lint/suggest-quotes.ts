/** Suggests quotes around values of a manifest. */
import { QUOTES_FIX } from '../../../api/v1/template-faults.ts';

/** Matches a line whose unquoted value begins with a reserved character. */
const RESERVED_START_PATTERN =
  /^(\s*(?:- +)*["']?([\w./-]+)["']?: +|\s*(?:- +)+|.*[{,] *["']?(\w+)["']?: +)([*&@%`].*)$/;

const MAX_QUOTED_LENGTH = 100;

/** Returns a hint if missing quotes around a value make the line invalid YAML, or `undefined` if the quotes are not the cause. */
export function suggestQuotes(line: string): string | undefined {
  const [, prefix = '', key, inlineKey, valueText] = RESERVED_START_PATTERN.exec(line) ?? [];
  if (valueText === undefined) return undefined;
  const text = extractValue(valueText, /[{[]/.test(prefix));
  if (text.length > MAX_QUOTED_LENGTH) return undefined;
  return `; put ${(key ?? inlineKey) === 'schedule' ? 'the schedule' : 'it'} in quotes: ${JSON.stringify(text)}`;
}

/** Removes the text after the value, such as a comment or the next entries of an inline mapping. */
function extractValue(text: string, isFlow: boolean): string {
  const [value = ''] = text.split(/\s#/);
  return (isFlow ? value.split(/,\s|[}\]]/)[0] : value)?.trim() ?? '';
}

/** Matches a number or a boolean in a manifest. */
const SCALAR_PATTERN = /^[\w.+:~-]+/;

/**
 * Replaces the quoted value at the end of a message with the text of this value in the manifest. The parsed value does not
 * show whether `true` was written as `yes` or `on`.
 * @param source The manifest from the offset of the value.
 */
export function quoteSourceText(message: string, source: string): string {
  const end = message.lastIndexOf(QUOTES_FIX) + QUOTES_FIX.length;
  const [sourceText] = SCALAR_PATTERN.exec(source) ?? [];
  return end < QUOTES_FIX.length || sourceText === undefined
    ? message
    : `${message.slice(0, end)}${JSON.stringify(sourceText)}`;
}
