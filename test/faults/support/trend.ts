/** Whether a figure grows: least squares over the lowest values of short spans of time, because garbage comes and goes. */

export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  readonly value: number;
}

/** By how much of its mean the figure grew from the first span to the last: 0.1 is a tenth; negative when it fell. */
export function growth(samples: readonly Sample[], spanSeconds: number): number {
  const spans = Map.groupBy(samples, ({ at }) => Math.floor(at / spanSeconds));
  const points = [...spans].map(([span, of]) => ({ x: span, y: Math.min(...of.map(({ value }) => value)) }));
  if (points.length < 3)
    throw new Error(`a trend takes three spans of ${spanSeconds} s, and these are ${points.length}`);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const covariance = mean(points.map(({ x, y }) => (x - meanX) * (y - meanY)));
  const variance = mean(points.map(({ x }) => (x - meanX) ** 2));
  const width = Math.max(...points.map(({ x }) => x)) - Math.min(...points.map(({ x }) => x));
  return meanY === 0 ? 0 : ((covariance / variance) * width) / meanY;
}
