/** Durations as Go writes them. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of `1h30m`, `1.5s`, `-2m` or `0`; `undefined` when `text` is no such duration. */
export function parseDurationMs(text: string): number | undefined {
  const [, sign, amount = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (amount === '0') return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(amount)) return undefined;
  let totalMs = 0;
  for (const [, number, unit = ''] of amount.matchAll(/([\d.]+)([a-zµ]+)/g)) {
    totalMs += Number(number) * (UNIT_MS[unit] ?? Number.NaN);
  }
  return sign === '-' ? -totalMs : totalMs;
}
