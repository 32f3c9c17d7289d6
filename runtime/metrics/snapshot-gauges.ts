/** Gauges with one series for each item of a collection, such as all objects of a kind. */

/** Number of lines to format before other tasks of the event loop run. Formatting 500 lines takes less than 1 ms. */
const LINES_PER_CHUNK = 500;

/** One gauge of {@link MetricsRegistry.snapshotGauges}. */
export interface SnapshotGauge<T> {
  /** Full name of the metric with its unit. */
  readonly name: string;
  /** Description of the metric. */
  readonly help: string;
  /** Returns the value of an item, or `undefined` to omit the series of the item. */
  readonly read: (item: T) => number | undefined;
}

/**
 * Gauges that share a collection of items and their labels. The series of a deleted item disappear at the next scrape.
 */
export interface SnapshotDefinition<T> {
  /** Names of the labels. All gauges have the same labels. */
  readonly labelNames: readonly string[];
  /** The gauges. */
  readonly gauges: readonly SnapshotGauge<T>[];
  /**
   * Returns the current items. All gauges of a scrape show the same items, because the function is called once for each
   * scrape.
   */
  readonly items: () => readonly T[];
  /** Returns a value for each label name. No two items may have the same labels. */
  readonly getLabels: (item: T) => Readonly<Record<string, string>>;
}

/**
 * Yields to the event loop regularly, because formatting the lines of 10,000 objects would delay probes and reconciles.
 */
export async function renderSnapshot<T>(definition: SnapshotDefinition<T>): Promise<string> {
  const chunks: string[] = [];
  let lines: string[] = [];
  for (const line of formatSeriesLines(definition)) {
    if (lines.push(line) < LINES_PER_CHUNK) continue;
    chunks.push(lines.join('\n')); // a single join of all lines would block the event loop for 10 ms
    lines = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...chunks, ...lines].join('\n');
}

function* formatSeriesLines<T>({ gauges, items, getLabels }: SnapshotDefinition<T>): Generator<string> {
  const currentItems = items();
  /** The formatted labels by the index of the item, for all gauges. */
  const labels: string[] = [];
  for (const { name, help, read } of gauges) {
    yield `# HELP ${name} ${escapeText(help)}`;
    yield `# TYPE ${name} gauge`;
    for (const [index, item] of currentItems.entries()) {
      const value = read(item);
      if (value === undefined) continue;
      labels[index] ??= formatLabels(getLabels(item));
      yield `${name}${labels[index]} ${value}`;
    }
    yield '';
  }
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const labelPairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`,
  );
  return labelPairs.length === 0 ? '' : `{${labelPairs.join(',')}}`;
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
