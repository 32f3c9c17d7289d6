/** A chart of counts over time as SVG: a line for each series, readable on light and dark pages, and without colours. */

export interface Series {
  readonly name: string;
  /** When each was counted, in seconds, sorted. */
  readonly seconds: readonly number[];
  /** Class of its line: see STYLE. */
  readonly look: 'own' | 'other' | 'limit';
}

export interface Chart {
  readonly title: string;
  /** What it shows, for those who do not see it. */
  readonly description: string;
  /** Of the vertical axis. */
  readonly counted: string;
  readonly series: readonly Series[];
}

const [WIDTH, HEIGHT] = [760, 400];
const PLOT = { left: 76, right: 600, top: 56, bottom: 340 };
/** Steps of a line: more are finer than a pixel. */
const MAX_STEPS = 200;
const LABEL_HEIGHT = 18;

const STYLE = `
  text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-size: 13px; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .page { fill: #ffffff }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .axis { stroke: #59636e; stroke-width: 1 }
  .line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
  .own { stroke: #0969da } .other { stroke: #bc4c00; stroke-dasharray: 9 4 } .limit { stroke: #59636e; stroke-dasharray: 2 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .page { fill: #0d1117 }
    .grid { stroke: #3d444d }
    .axis { stroke: #9198a1 }
    .own { stroke: #4493f8 } .other { stroke: #f0883e } .limit { stroke: #9198a1 }
  }`;

export function stepChart({ title, description, counted, series }: Chart): string {
  const longest = Math.max(...series.map(({ seconds }) => seconds.at(-1) ?? 0));
  const most = Math.max(...series.map(({ seconds }) => seconds.length));
  const [xStep, yStep] = [roundStep(longest / 6), roundStep(most / 5)];
  const xMax = Math.ceil(longest / xStep) * xStep || 1;
  const yMax = Math.ceil(most / yStep) * yStep || 1;
  const x = (value: number) => round(PLOT.left + (value / xMax) * (PLOT.right - PLOT.left));
  const y = (value: number) => round(PLOT.bottom - (value / yMax) * (PLOT.bottom - PLOT.top));
  const xTicks = ticks(xMax, xStep).map((at) => [
    `<text x="${x(at)}" y="${PLOT.bottom + 20}" text-anchor="middle">${numberText(at)}</text>`,
  ]);
  const yTicks = ticks(yMax, yStep).map((at) => [
    `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(at)}" y2="${y(at)}"/>`,
    `<text x="${PLOT.left - 10}" y="${y(at) + 4}" text-anchor="end">${numberText(at)}</text>`,
  ]);
  const lines = series.map(({ seconds, look }) => `<path class="line ${look}" d="${pathOf(seconds, x, y)}"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>${STYLE}
</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="6"/>
<text class="title" x="24" y="32">${escaped(title)}</text>
${[...yTicks, ...xTicks].flat().join('\n')}
<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${PLOT.bottom}" y2="${PLOT.bottom}"/>
<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 44}" text-anchor="middle">seconds after the scheduled time</text>
<text transform="translate(22 ${(PLOT.top + PLOT.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(counted)}</text>
${[...lines, ...labels(series)].join('\n')}
</svg>
`;
}

/** The names beside the plot, in the order in which the lines end, each behind a piece of its line. */
function labels(series: readonly Series[]): readonly string[] {
  const sorted = series.toSorted((left, right) => (left.seconds.at(-1) ?? 0) - (right.seconds.at(-1) ?? 0));
  return sorted.flatMap(({ name, seconds, look }, index) => {
    const top = PLOT.top + 14 + index * 3 * LABEL_HEIGHT;
    const [lineStart, textStart] = [PLOT.right + 14, PLOT.right + 46];
    return [
      `<path class="line ${look}" d="M${lineStart} ${top - 4}h26"/>`,
      `<text x="${textStart}" y="${top}">${escaped(name)}</text>`,
      `<text x="${textStart}" y="${top + LABEL_HEIGHT}">last: ${numberText(seconds.at(-1) ?? 0)} s</text>`,
    ];
  });
}

function pathOf(seconds: readonly number[], x: (value: number) => number, y: (value: number) => number): string {
  const every = Math.max(1, Math.floor(seconds.length / MAX_STEPS));
  const shown = seconds.flatMap((second, index) => {
    const count = index + 1;
    return count % every === 0 || count === seconds.length ? [`H${x(second)}V${y(count)}`] : [];
  });
  return `M${x(0)} ${y(0)}${shown.join('')}`;
}

/** 1, 2 or 5 times a power of ten, at least as large. */
function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast || 1));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= atLeast) ?? power;
}

function ticks(max: number, step: number): readonly number[] {
  return Array.from({ length: Math.round(max / step) + 1 }, (_, index) => index * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
