import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { lastRunText, nextRunText } from '../../plugin/report/run-texts.ts';
import { marksOf } from '../model/marks.ts';
import { keyOf, type Row } from '../model/rows.ts';
import { toldIn } from '../model/told-in.ts';
import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { StandingBadge } from '../parts/signs.tsx';
import { RowTimeline } from '../timeline/row-timeline.tsx';
import type { TimeScale } from '../timeline/time-scale.ts';

/** Rows above and below the visible part, so that scrolling shows no gaps. */
const OVERSCAN = 8;

interface RowListProps {
  readonly rows: readonly Row[];
  readonly scale: TimeScale;
  /** In pixels; the same for all rows. */
  readonly rowHeight: number;
}

/** The document has only as many rows as fit, and they move with the visible part. */
export function RowList({ rows, scale, rowHeight }: RowListProps) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useSignal({ first: 0, count: 30 });
  useLayoutEffect(() => {
    const look = () => {
      if (box.current === null) return;
      const above = Math.max(0, -box.current.getBoundingClientRect().top);
      const first = Math.max(0, Math.floor(above / rowHeight) - OVERSCAN);
      const count = Math.ceil(innerHeight / rowHeight) + 2 * OVERSCAN;
      if (first !== seen.value.first || count !== seen.value.count) seen.value = { first, count };
    };
    look();
    const stopping = new AbortController();
    addEventListener('scroll', look, { passive: true, signal: stopping.signal });
    addEventListener('resize', look, { signal: stopping.signal });
    return () => stopping.abort();
  }, [seen, rowHeight, rows.length]);
  const first = Math.min(seen.value.first, Math.max(0, rows.length - seen.value.count));
  const shown = rows.slice(first, first + seen.value.count);
  return (
    <div
      class="rows"
      role="rowgroup"
      ref={box}
      style={{ height: `${rows.length * rowHeight}px` }}
      onKeyDown={moveFocus}
    >
      {shown.map((row, index) => (
        <ListRow key={row.cronJob.metadata.uid} row={row} scale={scale} index={first + index} rowHeight={rowHeight} />
      ))}
    </div>
  );
}

interface ListRowProps {
  readonly row: Row;
  readonly scale: TimeScale;
  readonly index: number;
  readonly rowHeight: number;
}

function ListRow({ row: { cronJob, standing }, scale, index, rowHeight }: ListRowProps) {
  const { range, store, go, zone } = usePage();
  const now = store.now.value;
  // Stays the same while the user scrolls. The scale depends only on the range.
  const timeline = useMemo(
    () => (
      <RowTimeline
        {...{ scale, now }}
        cronJob={toldIn(cronJob, zone.value)}
        marks={marksOf(cronJob, range.value, now)}
        height={TIMELINE_HEIGHT}
        onPick={(at) => go({ cronJob: keyOf(cronJob), at })}
      />
    ),
    [cronJob, scale, now, zone.value],
  );
  const { namespace, name } = cronJob.metadata;
  return (
    // The header is the first row.
    <div
      class="row"
      role="row"
      aria-rowindex={index + 2}
      style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
    >
      <div role="cell" class="state">
        <StandingBadge standing={standing} />
      </div>
      <div role="rowheader" class="name">
        <Link to={{ cronJob: keyOf(cronJob), at: '' }}>
          <span class="namespace">{namespace}/</span>
          {name}
        </Link>
      </div>
      <div role="cell" class="last">
        {lastRunText(cronJob, now) ?? '–'}
      </div>
      <div role="cell" class="next">
        {nextRunText(cronJob, now) ?? '–'}
      </div>
      <div role="cell" class="time">
        {timeline}
      </div>
    </div>
  );
}

const TIMELINE_HEIGHT = 34;

/** The arrow keys up and down move between rows, like Tab. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof Element)) return;
  const row = event.target.closest('.row');
  const other = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const link = other?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
  link.scrollIntoView({ block: 'nearest' });
}
