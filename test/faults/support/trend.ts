/**
 * Whether a figure grows: a straight line through the medians of short time spans, because most of a span is calm. The line is the
 * Theil-Sen estimator, the median of the slopes between any two points: one odd minute among ten does not tilt it, as it would tilt a
 * least-squares line.
 */

export interface TrendSample {
  /** Seconds since the start. */
  readonly at: number;
  readonly value: number;
}

/** The straight line through the spans. */
export interface Trend {
  /** Value in the first and in the last span. */
  readonly first: number;
  readonly last: number;
  /** Change from the first to the last span, relative to the mean: 0.1 is a tenth; negative when it fell. */
  readonly growth: number;
}

/** Throws an Error for fewer than three spans. */
export function computeTrend(samples: readonly TrendSample[], spanSeconds: number): Trend {
  const spans = Map.groupBy(samples, ({ at }) => Math.floor(at / spanSeconds));
  const points = [...spans].map(([span, of]) => ({ x: span, y: median(of.map(({ value }) => value)) }));
  if (points.length < 3) throw new Error(`a trend needs three spans of ${spanSeconds} s, not ${points.length}`);
  const slope = median(pairs(points).map(([left, right]) => (right.y - left.y) / (right.x - left.x)));
  const start = median(points.map(({ x, y }) => y - slope * x));
  const at = (x: number) => start + slope * x;
  const first = at(Math.min(...points.map(({ x }) => x)));
  const last = at(Math.max(...points.map(({ x }) => x)));
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  return { first, last, growth: meanY === 0 ? 0 : (last - first) / meanY };
}

function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((left, index) => items.slice(index + 1).map((right): [T, T] => [left, right]));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const [lower = 0, upper = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return (lower + upper) / 2;
}
