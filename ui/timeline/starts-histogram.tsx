import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { shownTime } from '../../plugin/terminal/times.ts';
import { busiestOf, columnsOf, StartCounter, type Starts } from '../model/starts.ts';
import { fixedSpan, HOUR_MS, type Span } from '../model/view.ts';
import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import type { TimeScale } from './time-scale.ts';

const HEIGHT = 48;
const COLUMN_WIDTH = 6;
/** So long schedules are looked at before the page may do something else. */
const SLICE_MS = 8;
const PAUSE_MS = 4;

/** How many runs start when, of the CronJobs that are listed. */
export function StartsHistogram({ scale }: { readonly scale: TimeScale }) {
  const { range, zone } = usePage();
  const starts = useStarts();
  if (starts === undefined) return <div class="histogram" />;
  const busiest = busiestOf(starts);
  const { untilMs } = range.value;
  const width = Math.max(0, scale.x(untilMs) - scale.x(starts.firstMs));
  const columns = columnsOf(starts, Math.max(1, width / COLUMN_WIDTH));
  const most = Math.max(1, ...columns.map((column) => column.starts));
  const sentence = busiest
    ? `Busiest minute: ${shownTime(new Date(busiest.atMs), zone.value)}, ${busiest.starts} ${busiest.starts === 1 ? 'start' : 'starts'}`
    : 'Nothing more is due in the time that is shown';
  return (
    <div class="histogram">
      <svg width={scale.width} height={HEIGHT} role="img" aria-label={`Coming starts. ${sentence}`}>
        {columns.map(({ fromMs, untilMs: endMs, atMs, starts: count }) => {
          const height = Math.max(2, (count / most) * (HEIGHT - 4));
          const x = scale.x(fromMs);
          return (
            <rect key={fromMs} x={x} y={HEIGHT - height} width={Math.max(1, scale.x(endMs) - x - 1)} height={height}>
              <title>{`${shownTime(new Date(atMs), zone.value)}: ${count} ${count === 1 ? 'start' : 'starts'}`}</title>
            </rect>
          );
        })}
      </svg>
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
    </div>
  );
}

/** Half an hour before and after. */
function around(ms: number): Span {
  return fixedSpan(ms - HOUR_MS / 2, ms + HOUR_MS / 2);
}

/** Counted bit by bit, so that typing is answered meanwhile. What is counted so far is shown. */
function useStarts(): Starts | undefined {
  const page = usePage();
  const counter = useMemo(() => new StartCounter(), []);
  const starts = useSignal<Starts | undefined>(undefined);
  const { rows } = page.rows.value;
  const now = page.store.now.value;
  const { fromMs, untilMs } = page.range.value;
  // Not for each second that passes.
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
