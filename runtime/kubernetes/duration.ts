/**
 * A number and its unit, such as `30s`. A duration is a sequence of one or more numbers with units, such as `1h30s`.
 */
const NUMBER_WITH_UNIT_PATTERN = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION_PATTERN = new RegExp(`^[+-]?(?:0|(?:${NUMBER_WITH_UNIT_PATTERN.source})+)$`);

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

/** Go stores a duration as a 64-bit integer of nanoseconds, so the maximum is about 292 years. */
const MAX_DURATION_MS = 2 ** 63 / 1e6;

/**
 * Converts a duration in the format of Go's `metav1.Duration`, such as `1h30m`, `500ms`, `1.5s`, `-2m` or `0`, to
 * milliseconds. Returns `undefined` for an invalid duration, such as a number without a unit.
 */
export function parseDurationMs(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  const partsMs = [...text.matchAll(NUMBER_WITH_UNIT_PATTERN)].map(
    ([, count, unit = '']) => Number(count) * (MS_PER_UNIT[unit] ?? Number.NaN),
  );
  const ms = partsMs.reduce((sum, partMs) => sum + partMs, 0);
  if (ms >= MAX_DURATION_MS) return undefined;
  return text.startsWith('-') ? -ms : ms;
}

/** Formats milliseconds like Go's `metav1.Duration`: `1h30m0s`, `1.5s`, `500ms` or `0s`. */
export function formatDurationMs(ms: number): string {
  const nanoseconds = BigInt(Math.round(Math.abs(ms) * 1e6));
  const sign = ms < 0 && nanoseconds > 0n ? '-' : '';
  if (nanoseconds < NANOSECONDS_PER_SECOND) return `${sign}${formatSubsecond(nanoseconds)}`;
  const minutes = nanoseconds / NANOSECONDS_PER_MINUTE;
  const seconds = formatDecimal(nanoseconds % NANOSECONDS_PER_MINUTE, NANOSECONDS_PER_SECOND);
  const hours = minutes >= 60n ? `${minutes / 60n}h` : '';
  return `${sign}${hours}${minutes > 0n ? `${minutes % 60n}m` : ''}${seconds}s`;
}

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const NANOSECONDS_PER_MINUTE = 60n * NANOSECONDS_PER_SECOND;

/** Formats a duration of less than a second in the largest unit that does not exceed the duration. */
function formatSubsecond(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${formatDecimal(nanoseconds, 1_000n)}µs`;
  return `${formatDecimal(nanoseconds, 1_000_000n)}ms`;
}

/** Formats `value / unit` without trailing zeros. `unit` must be a power of ten. */
function formatDecimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
