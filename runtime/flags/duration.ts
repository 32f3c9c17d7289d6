/**
 * A number and its unit, such as `30s`. A duration such as `1h30s` consists of one or more pairs of a number and a
 * unit.
 */
const NUMBER_WITH_UNIT = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = new RegExp(`^[+-]?(?:0|(?:${NUMBER_WITH_UNIT.source})+)$`);

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Converts a duration in Go's format, such as `1h30m`, `500ms`, `1.5s`, `-2m` or `0`, to milliseconds. Returns
 * `undefined` for an invalid duration, such as a number without a unit.
 */
export function parseDurationMs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const partsMs = [...text.matchAll(NUMBER_WITH_UNIT)].map(
    ([, count, unit = '']) => Number(count) * (MS_PER_UNIT[unit] ?? Number.NaN),
  );
  const ms = partsMs.reduce((sum, partMs) => sum + partMs, 0);
  return text.startsWith('-') ? -ms : ms;
}
