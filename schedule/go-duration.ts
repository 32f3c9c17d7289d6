/** Durations as Go's `time.ParseDuration` reads them: `1h30m`, `1.5h`, `90s`. */
import { quote } from './quote.ts';

export type ParsedDuration =
  | { readonly kind: 'ok'; readonly nanoseconds: bigint }
  | { readonly kind: 'invalid'; readonly message: string };

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // the micro sign
  μs: 1_000n, // the Greek letter, which looks the same
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go stores durations in 64 bits: about 292 years. */
const MAX_NANOSECONDS = 2n ** 63n - 1n;

const TERM = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)(?=[\d.]|$)/;
const FORM = 'use numbers with units, such as 90s, 5m or 1h30m';

/** Never throws. */
export function parseGoDuration(text: string): ParsedDuration {
  const sign = text.startsWith('-') ? -1n : 1n;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return { kind: 'ok', nanoseconds: 0n };
  if (rest === '') return { kind: 'invalid', message: `${quote(text)} is not a duration; ${FORM}` };
  let nanoseconds = 0n;
  while (rest !== '') {
    const [term, whole = '', fraction = '', unit = ''] = TERM.exec(rest) ?? [];
    const scale = UNITS[unit];
    if (term === undefined || scale === undefined || whole + fraction === '') {
      return { kind: 'invalid', message: `${quote(text)} is not a duration; ${FORM}` };
    }
    nanoseconds += BigInt(whole === '' ? '0' : whole) * scale + parseFraction(fraction, scale);
    if (nanoseconds > MAX_NANOSECONDS) {
      return { kind: 'invalid', message: `${quote(text)} is longer than 292 years; ${FORM}` };
    }
    rest = rest.slice(term.length);
  }
  return { kind: 'ok', nanoseconds: sign * nanoseconds };
}

/** Go computes fractions in floating point, and ignores digits beyond 63 bits; this function does the same. */
function parseFraction(digits: string, unit: bigint): bigint {
  let fraction = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = fraction * 10n + BigInt(digit);
    if (next > MAX_NANOSECONDS + 1n) break;
    fraction = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(fraction) * (Number(unit) / scale)));
}
