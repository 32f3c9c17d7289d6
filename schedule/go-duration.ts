import { describeValue } from './describe-value.ts';
import { quote } from './quote.ts';

/** The result of {@link parseGoDuration}. */
export type ParsedDuration =
  | { readonly kind: 'ok'; readonly nanoseconds: bigint }
  | { readonly kind: 'invalid'; readonly message: string };

const NANOSECONDS_PER_UNIT: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // the micro sign
  μs: 1_000n, // the Greek letter, which looks the same
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go stores a duration in a signed 64-bit integer, so the maximum is about 292 years. */
const MAX_NANOSECONDS = 2n ** 63n - 1n;

const TERM_PATTERN = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)(?=[\d.]|$)/;

/** Parses a duration such as `1h30m`, `1.5h` or `90s` in the same way as Go's `time.ParseDuration`. Never throws. */
export function parseGoDuration(text: string): ParsedDuration {
  if (typeof text !== 'string') return toInvalidResult(`a duration must be a string, not ${describeValue(text)}`);
  const magnitude = text.replace(/^[+-]/, '');
  const nanoseconds = magnitude === '0' ? 0n : sumTerms(magnitude);
  if (nanoseconds === undefined) return toInvalidResult(`${quote(text)} is not a duration`);
  if (nanoseconds > MAX_NANOSECONDS) return toInvalidResult(`${quote(text)} is longer than 292 years`);
  return { kind: 'ok', nanoseconds: text.startsWith('-') ? -nanoseconds : nanoseconds };
}

function toInvalidResult(fault: string): ParsedDuration {
  return { kind: 'invalid', message: `${fault}; use numbers with units, such as 90s, 5m or 1h30m` };
}

/** Returns the sum of one or more terms such as `1h` or `1.5s` in nanoseconds, or `undefined` for invalid text. */
function sumTerms(text: string): bigint | undefined {
  let nanoseconds = 0n;
  let remainder = text;
  do {
    const [term, whole = '', fraction = '', unit = ''] = TERM_PATTERN.exec(remainder) ?? [];
    const unitNanoseconds = NANOSECONDS_PER_UNIT[unit];
    if (term === undefined || unitNanoseconds === undefined || whole + fraction === '') return undefined;
    nanoseconds += BigInt(whole === '' ? '0' : whole) * unitNanoseconds + parseFraction(fraction, unitNanoseconds);
    remainder = remainder.slice(term.length);
  } while (remainder !== '');
  return nanoseconds;
}

/** Computes the fraction in floating point and ignores digits beyond 63 bits, like Go. */
function parseFraction(digits: string, unitNanoseconds: bigint): bigint {
  let fraction = 0n;
  let divisor = 1;
  for (const digit of digits) {
    const nextFraction = fraction * 10n + BigInt(digit);
    if (nextFraction > MAX_NANOSECONDS + 1n) break;
    fraction = nextFraction;
    divisor *= 10;
  }
  return BigInt(Math.trunc(Number(fraction) * (Number(unitNanoseconds) / divisor)));
}
