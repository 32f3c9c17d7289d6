/** What a YAML scalar without quotes means to kubectl: the rules of go-yaml v2 (`resolve.go`), which sigs.k8s.io/yaml reads with. */

export type ScalarValue = string | number | boolean | null;

const NULL = /^(?:~|null|Null|NULL)?$/;
const TRUE = /^(?:[yY]|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:[nN]|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;
const INTEGER = /^([-+]?)(0x[0-9a-f]+|0o[0-7]+|0b[01]+|0[0-7]*|[1-9][0-9]*)$/i;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Base 60 stays text, and so do times. An integer beyond 2^53 loses digits, as it does in JSON.parse. */
export function plainScalar(text: string): ScalarValue {
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  return numberIn(text) ?? text;
}

function numberIn(text: string): number | undefined {
  if (!/^[-+.0-9]/.test(text)) return undefined;
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (NOT_A_NUMBER.test(text)) return Number.NaN;
  const digits = text.replaceAll('_', '');
  const integer = integerIn(digits);
  if (integer !== undefined) return Number(integer);
  const float = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(float) ? float : undefined;
}

/** From 64 bits on it is a float. */
function integerIn(text: string): bigint | undefined {
  const [all, sign, digits = ''] = INTEGER.exec(text) ?? [];
  if (all === undefined) return undefined;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -magnitude : magnitude;
  return value >= MIN_INT64 && value <= (sign === '' ? MAX_UINT64 : MAX_INT64) ? value : undefined;
}
