import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { shownTime } from '../../plugin/terminal/times.ts';
import { busiestOf, columnsOf, StartCounter, type Starts } from '../model/starts.ts';
import { fixedSpan, HOUR_MS, type Span } from '../model/view.ts';
import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import type { TimeScale } from './time-scale.ts';

const HEIGHT = 48;
/** Space above the highest column. */
const TOP = 4;
const COLUMN_WIDTH = 6;
/** Width of the text of {@link MostStarts}. */
const MOST_WIDTH = 90;
/** How long schedules are evaluated before the page can do other work. */
const SLICE_MS = 8;
const PAUSE_MS = 4;

/** How many runs of the listed CronJobs start at which time. */
export function StartsHistogram({ scale }: { readonly scale: TimeScale }) {
  const { range, zone, go } = usePage();
  const starts = useStarts();
  if (starts === undefined) return <div class="histogram" />;
  const busiest = busiestOf(starts);
  const { untilMs } = range.value;
  const width = Math.max(0, scale.x(untilMs) - scale.x(starts.firstMs));
  const columns = columnsOf(starts, Math.max(1, width / COLUMN_WIDTH));
  const most = Math.max(1, ...columns.map((column) => column.starts));
  const sentence = busiest
    ? `Busiest minute: ${shownTime(new Date(busiest.atMs), zone.value)}, ${startsOf(busiest.starts)}`
    : 'Nothing more is due in the time that is shown';
  return (
    <div class="histogram">
      <p>
        {sentence}
        {busiest && (
          <>
            {' '}
            <Link to={{ span: around(busiest.atMs), isBusyOnly: true }}>
              Show it<span class="spoken">: the half hours before and after</span>
            </Link>
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only for pointer users; for others, the link leads to the busiest column */}
      <svg
        width={scale.width}
        height={HEIGHT}
        role="img"
        aria-label={`Coming starts. ${sentence}`}
        onClick={({ target }) => {
          const ms = pickedMs(target);
          if (ms !== undefined) go({ span: around(ms), isBusyOnly: true });
        }}
      >
        {busiest && <MostStarts most={most} fromX={Math.max(0, scale.x(starts.firstMs))} width={scale.width} />}
        {columns.map(({ fromMs, untilMs: endMs, atMs, starts: count }) => {
          const height = Math.max(2, (count / most) * (HEIGHT - TOP));
          const x = scale.x(fromMs);
          return (
            <rect
              key={fromMs}
              x={x}
              y={HEIGHT - height}
              width={Math.max(1, scale.x(endMs) - x - 1)}
              height={height}
              data-told={`${shownTime(new Date(atMs), zone.value)}: ${startsOf(count)}`}
              data-ms={atMs}
            />
          );
        })}
      </svg>
    </div>
  );
}

interface MostStartsProps {
  readonly most: number;
  /** Left edge of the columns. */
  readonly fromX: number;
  readonly width: number;
}

/** Labels the highest column with its number of starts. */
function MostStarts({ most, fromX, width }: MostStartsProps) {
  const isBeside = fromX > MOST_WIDTH;
  return (
    <g class="most">
      <line x1={fromX} x2={width} y1={TOP} y2={TOP} />
      <text x={isBeside ? fromX - 4 : 2} y={TOP + 8} text-anchor={isBeside ? 'end' : 'start'}>
        {most} in a minute
      </text>
    </g>
  );
}

function startsOf(count: number): string {
  return `${count} ${count === 1 ? 'start' : 'starts'}`;
}

/** The minute of the column; `undefined` beside all columns. */
function pickedMs(target: EventTarget | null): number | undefined {
  const ms = target instanceof SVGElement ? target.dataset['ms'] : undefined;
  return ms === undefined ? undefined : Number(ms);
}

/** Half an hour before and after. */
function around(ms: number): Span {
  return fixedSpan(ms - HOUR_MS / 2, ms + HOUR_MS / 2);
}

/** Counts in small steps, so that the page stays responsive. Returns the previous count until the new one is complete. */
function useStarts(): Starts | undefined {
  const page = usePage();
  const counter = useMemo(() => new StartCounter(), []);
  const starts = useSignal<Starts | undefined>(undefined);
  const { rows } = page.rows.value;
  const now = page.store.now.value;
  const { fromMs, untilMs } = page.range.value;
  // Changes once a minute, not each second.
  const firstMs = Math.max(fromMs, Math.floor(now.getTime() / 60_000) * 60_000);
  const lastMs = Math.ceil(untilMs / 60_000) * 60_000;
  useEffect(() => {
    counter.range = { fromMs: firstMs, untilMs: lastMs };
    const cronJobs = rows.map(({ cronJob }) => cronJob);
    const unknown = cronJobs.filter((cronJob) => !counter.knows(cronJob));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      const endMs = performance.now() + SLICE_MS;
      while (unknown.length > 0 && performance.now() < endMs) {
        const next = unknown.pop();
        if (next) counter.learn(next);
      }
      if (unknown.length > 0) timer = setTimeout(work, PAUSE_MS);
      else starts.value = counter.of(cronJobs, now);
    };
    work();
    return () => clearTimeout(timer);
  }, [counter, rows, firstMs, lastMs]);
  return starts.value;
}
