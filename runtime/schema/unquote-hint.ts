const BOOLEAN_WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  on: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
};
const DECIMAL_PATTERNS = { integer: /^[+-]?\d+$/, number: /^[+-]?\d+(?:\.\d+)?$/ } as const;

/** Returns advice for an error message about a wrong type, such as `; write 3 without quotes`, or an empty string. */
export function formatUnquoteHint(type: string, value: unknown): string {
  const unquotedValue = typeof value === 'string' ? formatUnquotedValue(type, value.trim()) : undefined;
  return unquotedValue === undefined ? '' : `; write ${unquotedValue} without quotes`;
}

/** Formats `030` as `30`, because some YAML parsers read `030` as an octal number. */
function formatUnquotedValue(type: string, text: string): string | undefined {
  if (type === 'boolean')
    return Object.hasOwn(BOOLEAN_WORDS, text.toLowerCase()) ? BOOLEAN_WORDS[text.toLowerCase()] : undefined;
  if ((type !== 'integer' && type !== 'number') || !DECIMAL_PATTERNS[type].test(text)) return undefined;
  const formattedNumber = String(Number(text));
  // JavaScript rounds integers above MAX_SAFE_INTEGER.
  return Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? formattedNumber : undefined;
}
