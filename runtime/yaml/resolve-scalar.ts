/**
 * Determines the type and the value of a YAML scalar by the rules of go-yaml v2 (`resolve.go`), which kubectl uses. The
 * rules of go-yaml v2 differ from YAML 1.1 and 1.2.
 */

export type ResolvedScalar =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'str'; readonly value: string };

const NULL_PATTERN = /^(?:~|null|Null|NULL)?$/;
const TRUE_PATTERN = /^(?:[yY]|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE_PATTERN = /^(?:[nN]|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INFINITE_PATTERN = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER_PATTERN = /^\.(?:nan|NaN|NAN)$/;
const INTEGER_PATTERN = /^([-+]?)(0x[0-9a-f]+|0o[0-7]+|0b[01]+|0[0-7]*|[1-9][0-9]*)$/i;
const FLOAT_PATTERN = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i;
const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Resolves a scalar without quotes and without a tag. A number in base 60 or a time becomes a string. */
export function resolvePlainScalar(text: string): ResolvedScalar {
  if (NULL_PATTERN.test(text)) return { type: 'null' };
  if (/^[-+.0-9]/.test(text)) return parseNumber(text) ?? { type: 'str', value: text };
  if (TRUE_PATTERN.test(text)) return { type: 'bool', value: true };
  if (FALSE_PATTERN.test(text)) return { type: 'bool', value: false };
  return { type: 'str', value: text };
}

function parseNumber(text: string): ResolvedScalar | undefined {
  if (INFINITE_PATTERN.test(text)) return { type: 'float', value: text.startsWith('-') ? -Infinity : Infinity };
  if (NOT_A_NUMBER_PATTERN.test(text)) return { type: 'float', value: Number.NaN };
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '');
  const integer = parseInteger(digits);
  if (integer !== undefined) return integer;
  const value = FLOAT_PATTERN.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(value) ? { type: 'float', value } : undefined;
}

/**
 * Returns `undefined` for an integer that does not fit into 64 bits, because go-yaml reads such an integer as a float.
 */
function parseInteger(text: string): ResolvedScalar | undefined {
  const [all, sign, digits = ''] = INTEGER_PATTERN.exec(text) ?? [];
  if (all === undefined) return undefined;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -magnitude : magnitude;
  const isInRange = value >= MIN_INT64 && value <= (sign === '' ? MAX_UINT64 : MAX_INT64);
  return isInRange ? { type: 'int', value } : undefined;
}

/** Resolves a scalar with a tag such as `int`. Returns `undefined` if the text is invalid for the tag. */
export function resolveTaggedScalar(tag: string, text: string): ResolvedScalar | undefined {
  if (tag === 'timestamp') return isTimestamp(text) ? { type: 'str', value: text } : undefined;
  if (tag === 'binary') return resolveBinary(text);
  if (!['null', 'bool', 'int', 'float'].includes(tag)) return { type: 'str', value: text };
  const resolvedScalar = resolvePlainScalar(text);
  if (resolvedScalar.type === tag) return resolvedScalar;
  const isWholeNumber = tag === 'float' && resolvedScalar.type === 'int' && resolvedScalar.value <= MAX_INT64;
  return isWholeNumber ? { type: 'float', value: Number(resolvedScalar.value) } : undefined;
}

function isTimestamp(text: string): boolean {
  const match = /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt](.*)(?:Z|[-+]\d\d:\d\d))| (.*))?$/.exec(text);
  if (match === null) return false;
  const [, year, month, day, withZone, withoutZone] = match;
  const time = withZone ?? withoutZone;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isDate = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isDate && (time === undefined || /^([01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d([.,]\d+)?$/.test(time));
}

function resolveBinary(text: string): ResolvedScalar | undefined {
  return isBase64(text) ? { type: 'str', value: Buffer.from(text, 'base64').toString('utf8') } : undefined;
}

/**
 * Returns whether the text is valid base64 for Go's encoding/base64, which requires padding and ignores line breaks.
 */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replaceAll(/[\r\n]/g, ''));
}
