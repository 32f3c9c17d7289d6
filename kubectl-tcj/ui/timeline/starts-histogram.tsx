import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatZonedTime } from '../../plugin/terminal/times.ts';
import { findBusiestMinute, groupIntoColumns, StartCounter, type StartCounts } from '../model/start-counts.ts';
import { createFixedSpan, HOUR_MS, type TimeSpan } from '../model/view.ts';
import { usePageState } from '../page-state.ts';
import { Link } from '../parts/link.tsx';
import type { TimeScale } from './time-scale.ts';

const HEIGHT = 48;
/** Space above the highest column. */
const TOP_MARGIN = 4;
const COLUMN_WIDTH = 6;
/** Width of the text of {@link MaxLabel}. */
const MAX_LABEL_WIDTH = 90;
/** How long schedules are evaluated before the page can do other work. */
const SLICE_MS = 8;
const PAUSE_MS = 4;

/** How many runs of the listed CronJobs start at which time. */
export function StartsHistogram({ scale }: { readonly scale: TimeScale }) {
  const { range, zone, navigate } = usePageState();
  const starts = useStartCounts();
  if (starts === undefined) return <div class="histogram" />;
  const busiest = findBusiestMinute(starts);
  const { untilMs } = range.value;
  const width = Math.max(0, scale.x(untilMs) - scale.x(starts.firstMs));
  const columns = groupIntoColumns(starts, Math.max(1, width / COLUMN_WIDTH));
  const max = Math.max(1, ...columns.map((column) => column.starts));
  const sentence = busiest
    ? `Busiest minute: ${formatZonedTime(new Date(busiest.atMs), zone.value)}, ${formatStarts(busiest.starts)}`
    : 'No more runs are due in this time range';
  return (
    <div class="histogram">
      <p>
        {sentence}
        {busiest && (
          <>
            {' '}
            <Link to={{ span: getHourAround(busiest.atMs), isBusyOnly: true }}>
              Zoom in<span class="visually-hidden"> to the hour around it</span>
            </Link>
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only for pointer users; for others, the link leads to the busiest column */}
      <svg
        width={scale.width}
        height={HEIGHT}
        role="img"
        aria-label={`Upcoming starts. ${sentence}`}
        onClick={({ target }) => {
          const ms = getClickedMs(target);
          if (ms !== undefined) navigate({ span: getHourAround(ms), isBusyOnly: true });
        }}
      >
        {busiest && <MaxLabel max={max} fromX={Math.max(0, scale.x(starts.firstMs))} width={scale.width} />}
        {columns.map(({ fromMs, untilMs: endMs, atMs, starts: count }) => {
          const height = Math.max(2, (count / max) * (HEIGHT - TOP_MARGIN));
          const x = scale.x(fromMs);
          return (
            <rect
              key={fromMs}
              x={x}
              y={HEIGHT - height}
              width={Math.max(1, scale.x(endMs) - x - 1)}
              height={height}
              data-tooltip={`${formatZonedTime(new Date(atMs), zone.value)}: ${formatStarts(count)}`}
              data-ms={atMs}
            />
          );
        })}
      </svg>
    </div>
  );
}

interface MaxLabelProps {
  readonly max: number;
  /** Left edge of the columns. */
  readonly fromX: number;
  readonly width: number;
}

/** Labels the highest column with its number of starts. */
function MaxLabel({ max, fromX, width }: MaxLabelProps) {
  const isBeside = fromX > MAX_LABEL_WIDTH;
  return (
    <g class="max">
      <line x1={fromX} x2={width} y1={TOP_MARGIN} y2={TOP_MARGIN} />
      <text x={isBeside ? fromX - 4 : 2} y={TOP_MARGIN + 8} text-anchor={isBeside ? 'end' : 'start'}>
        {max} per minute
      </text>
    </g>
  );
}

function formatStarts(count: number): string {
  return `${count} ${count === 1 ? 'start' : 'starts'}`;
}

/** The minute of the column; `undefined` beside all columns. */
function getClickedMs(target: EventTarget | null): number | undefined {
  const ms = target instanceof SVGElement ? target.dataset['ms'] : undefined;
  return ms === undefined ? undefined : Number(ms);
}

/** Half an hour before and after. */
function getHourAround(ms: number): TimeSpan {
  return createFixedSpan(ms - HOUR_MS / 2, ms + HOUR_MS / 2);
}

/** Counts in small steps, so that the page stays responsive. Returns the previous count until the new one is complete. */
function useStartCounts(): StartCounts | undefined {
  const page = usePageState();
  const counter = useMemo(() => new StartCounter(), []);
  const starts = useSignal<StartCounts | undefined>(undefined);
  const { rows } = page.rows.value;
  const now = page.store.now.value;
  const { fromMs, untilMs } = page.range.value;
  // Changes once a minute, not each second.
  const firstMs = Math.max(fromMs, Math.floor(now.getTime() / 60_000) * 60_000);
  const lastMs = Math.ceil(untilMs / 60_000) * 60_000;
  useEffect(() => {
    counter.range = { fromMs: firstMs, untilMs: lastMs };
    const cronJobs = rows.map(({ cronJob }) => cronJob);
    const pending = cronJobs.filter((cronJob) => !counter.hasSchedule(cronJob));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const evaluateSlice = () => {
      const endMs = performance.now() + SLICE_MS;
      while (pending.length > 0 && performance.now() < endMs) {
        const next = pending.pop();
        if (next) counter.addSchedule(next);
      }
      if (pending.length > 0) timer = setTimeout(evaluateSlice, PAUSE_MS);
      else starts.value = counter.count(cronJobs, now);
    };
    evaluateSlice();
    return () => clearTimeout(timer);
  }, [counter, rows, firstMs, lastMs]);
  return starts.value;
}
