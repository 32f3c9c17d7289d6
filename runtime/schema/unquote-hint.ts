/** Suggests a replacement for a quoted number or boolean. */

const BOOLEAN_WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  on: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
};
const DECIMAL = { integer: /^[+-]?\d+$/, number: /^[+-]?\d+(?:\.\d+)?$/ } as const;

/**
 * Returns the end of a message about a value of a wrong type, such as `; write 3 without quotes`. Empty when quotes are
 * not the cause.
 */
export function unquoteHint(type: string, value: unknown): string {
  const intended = typeof value === 'string' ? parseIntended(type, value.trim()) : undefined;
  return intended === undefined ? '' : `; write ${intended} without quotes`;
}

/** Returns the form that every YAML reader understands the same way: 030 means 24 to some readers. */
function parseIntended(type: string, text: string): string | undefined {
  if (type === 'boolean')
    return Object.hasOwn(BOOLEAN_WORDS, text.toLowerCase()) ? BOOLEAN_WORDS[text.toLowerCase()] : undefined;
  if ((type !== 'integer' && type !== 'number') || !DECIMAL[type].test(text)) return undefined;
  const formatted = String(Number(text));
  // Beyond 53 bits, JavaScript would change the number.
  return Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? formatted : undefined;
}
