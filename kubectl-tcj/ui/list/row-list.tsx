import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { formatLastRun, formatNextRun } from '../../plugin/report/run-texts.ts';
import { withDisplayZone } from '../model/display-zone.ts';
import { computeMarks } from '../model/marks.ts';
import { type CronJobRow, getKey } from '../model/rows.ts';
import { usePageState } from '../page-state.ts';
import { StateBadge } from '../parts/badges.tsx';
import { Link } from '../parts/link.tsx';
import { RowTimeline } from '../timeline/row-timeline.tsx';
import type { TimeScale } from '../timeline/time-scale.ts';

/** Rows above and below the visible part, so that scrolling shows no gaps. */
const OVERSCAN = 8;

interface RowListProps {
  readonly rows: readonly CronJobRow[];
  readonly scale: TimeScale;
  /** In pixels; the same for all rows. */
  readonly rowHeight: number;
}

/** The document has only as many rows as fit, and they move with the visible part. */
export function RowList({ rows, scale, rowHeight }: RowListProps) {
  const box = useRef<HTMLDivElement>(null);
  const visible = useSignal({ first: 0, count: 30 });
  useLayoutEffect(() => {
    const updateVisible = () => {
      if (box.current === null) return;
      const above = Math.max(0, -box.current.getBoundingClientRect().top);
      const first = Math.max(0, Math.floor(above / rowHeight) - OVERSCAN);
      const count = Math.ceil(innerHeight / rowHeight) + 2 * OVERSCAN;
      if (first !== visible.value.first || count !== visible.value.count) visible.value = { first, count };
    };
    updateVisible();
    const controller = new AbortController();
    addEventListener('scroll', updateVisible, { passive: true, signal: controller.signal });
    addEventListener('resize', updateVisible, { signal: controller.signal });
    return () => controller.abort();
  }, [visible, rowHeight, rows.length]);
  const first = Math.min(visible.value.first, Math.max(0, rows.length - visible.value.count));
  const visibleRows = rows.slice(first, first + visible.value.count);
  return (
    <div
      class="rows"
      role="rowgroup"
      ref={box}
      style={{ height: `${rows.length * rowHeight}px` }}
      onKeyDown={moveFocus}
    >
      {visibleRows.map((row, index) => (
        <ListRow key={row.cronJob.metadata.uid} row={row} scale={scale} index={first + index} rowHeight={rowHeight} />
      ))}
    </div>
  );
}

interface ListRowProps {
  readonly row: CronJobRow;
  readonly scale: TimeScale;
  readonly index: number;
  readonly rowHeight: number;
}

function ListRow({ row: { cronJob, state }, scale, index, rowHeight }: ListRowProps) {
  const { range, store, navigate, zone } = usePageState();
  const now = store.now.value;
  // Stays the same while the user scrolls. The scale depends only on the range.
  const timeline = useMemo(
    () => (
      <RowTimeline
        {...{ scale, now }}
        cronJob={withDisplayZone(cronJob, zone.value)}
        marks={computeMarks(cronJob, range.value, now)}
        height={TIMELINE_HEIGHT}
        onSelect={(at) => navigate({ cronJob: getKey(cronJob), at })}
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
        <StateBadge state={state} />
      </div>
      <div role="rowheader" class="name">
        <Link to={{ cronJob: getKey(cronJob), at: '' }}>
          <span class="namespace">{namespace}/</span>
          {name}
        </Link>
      </div>
      <div role="cell" class="last">
        {formatLastRun(cronJob, now) ?? '–'}
      </div>
      <div role="cell" class="next">
        {formatNextRun(cronJob, now) ?? '–'}
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
  const nextRow = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const link = nextRow?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
  link.scrollIntoView({ block: 'nearest' });
}
