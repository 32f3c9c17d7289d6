/** What to write in place of a text that is a number or a boolean in quotes. */

const WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  on: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
};
const DECIMAL = { integer: /^[+-]?\d+$/, number: /^[+-]?\d+(?:\.\d+)?$/ } as const;

/** Ends a message about a value of a wrong type, such as `; write 3 without quotes`. Empty where quotes are not what is wrong. */
export function withoutQuotes(type: string, value: unknown): string {
  const meant = typeof value === 'string' ? meantBy(type, value.trim()) : undefined;
  return meant === undefined ? '' : `; write ${meant} without quotes`;
}

/** In the one form that every reader of YAML takes for the same: 030 is 24 for some. */
function meantBy(type: string, text: string): string | undefined {
  if (type === 'boolean') return Object.hasOwn(WORDS, text.toLowerCase()) ? WORDS[text.toLowerCase()] : undefined;
  if ((type !== 'integer' && type !== 'number') || !DECIMAL[type].test(text)) return undefined;
  const shown = String(Number(text));
  // Beyond 53 bits it would be another number.
  return Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? shown : undefined;
}
