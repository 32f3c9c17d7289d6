/** Gauges of things that come and go: which series there are is found out anew at each scrape. */

/** Lines written in one go before timers and other sockets get their turn; well under a millisecond. */
const LINES_PER_TURN = 500;

export interface SnapshotGauge<T> {
  /** Full name, with the unit as its last part. */
  readonly name: string;
  readonly help: string;
  /** The value for a thing; `undefined` when it has none, and then no series either. */
  readonly read: (item: T) => number | undefined;
}

/** Gauges over the same things. A thing that is gone at the next scrape leaves no series behind. */
export interface SnapshotDefinition<T> {
  readonly labelNames: readonly string[];
  readonly gauges: readonly SnapshotGauge<T>[];
  /** The things that have series now. Asked once per scrape, so that all gauges speak of the same ones. */
  readonly items: () => readonly T[];
  /** A value for each of the label names. No two things may have the same ones. */
  readonly labelsOf: (item: T) => Readonly<Record<string, string>>;
}

/**
 * The text that Prometheus scrapes. Gives way to the event loop as it goes: the lines of 10,000 objects take longer
 * than probes and passes should wait.
 */
export async function renderSnapshot<T>(definition: SnapshotDefinition<T>): Promise<string> {
  const turns: string[] = [];
  let lines: string[] = [];
  for (const line of linesOf(definition)) {
    if (lines.push(line) < LINES_PER_TURN) continue;
    turns.push(lines.join('\n')); // here rather than at the end, where all at once would take 10 ms
    lines = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...turns, ...lines].join('\n');
}

function* linesOf<T>({ gauges, items, labelsOf }: SnapshotDefinition<T>): Generator<string> {
  const things = items();
  /** The same for every gauge, so made once; at the same index as its thing. */
  const labels: string[] = [];
  for (const { name, help, read } of gauges) {
    yield `# HELP ${name} ${escaped(help)}`;
    yield `# TYPE ${name} gauge`;
    for (const [index, item] of things.entries()) {
      const value = read(item);
      if (value === undefined) continue;
      labels[index] ??= labelText(labelsOf(item));
      yield `${name}${labels[index]} ${value}`;
    }
    yield '';
  }
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
