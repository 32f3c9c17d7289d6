/** Gauges of items that come and go: each scrape determines which series exist. */

/** Lines per turn of the event loop, before timers and other sockets run; well under a millisecond. */
const LINES_PER_TURN = 500;

export interface SnapshotGauge<T> {
  /** Full name with the unit as a suffix. */
  readonly name: string;
  readonly help: string;
  /** The value for an item; `undefined` if the item has no value, and thus no series. */
  readonly read: (item: T) => number | undefined;
}

/** Gauges over the same items. An item that is gone at the next scrape leaves no series behind. */
export interface SnapshotDefinition<T> {
  readonly labelNames: readonly string[];
  readonly gauges: readonly SnapshotGauge<T>[];
  /** The items that have series now. Called once per scrape, so that all gauges use the same items. */
  readonly items: () => readonly T[];
  /** A value for each label name. The labels must be unique per item. */
  readonly getLabels: (item: T) => Readonly<Record<string, string>>;
}

/**
 * The text that Prometheus scrapes. Yields to the event loop meanwhile: the lines of 10,000 objects take longer than
 * probes and passes should wait.
 */
export async function renderSnapshot<T>(definition: SnapshotDefinition<T>): Promise<string> {
  const chunks: string[] = [];
  let lines: string[] = [];
  for (const line of formatLines(definition)) {
    if (lines.push(line) < LINES_PER_TURN) continue;
    chunks.push(lines.join('\n')); // joined per turn, because one join at the end would take 10 ms
    lines = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...chunks, ...lines].join('\n');
}

function* formatLines<T>({ gauges, items, getLabels }: SnapshotDefinition<T>): Generator<string> {
  const currentItems = items();
  /** The same for every gauge, so computed once; at the index of its item. */
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
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
