/** Whether a figure grows: least squares over the lowest values of short spans of time, because garbage comes and goes. */

export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  readonly value: number;
}

/** The straight line through the spans. */
export interface Trend {
  /** In the first and in the last span. */
  readonly first: number;
  readonly last: number;
  /** From the one to the other, by the mean of all: 0.1 is a tenth; negative when it fell. */
  readonly growth: number;
}

/** Throws an Error for fewer than three spans. */
export function trendOf(samples: readonly Sample[], spanSeconds: number): Trend {
  const spans = Map.groupBy(samples, ({ at }) => Math.floor(at / spanSeconds));
  const points = [...spans].map(([span, of]) => ({ x: span, y: Math.min(...of.map(({ value }) => value)) }));
  if (points.length < 3)
    throw new Error(`a trend takes three spans of ${spanSeconds} s, and these are ${points.length}`);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const covariance = mean(points.map(({ x, y }) => (x - meanX) * (y - meanY)));
  const variance = mean(points.map(({ x }) => (x - meanX) ** 2));
  const slope = covariance / variance;
  const at = (x: number) => meanY + slope * (x - meanX);
  const first = at(Math.min(...points.map(({ x }) => x)));
  const last = at(Math.max(...points.map(({ x }) => x)));
  return { first, last, growth: meanY === 0 ? 0 : (last - first) / meanY };
}
