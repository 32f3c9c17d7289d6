import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { formatLastRun, formatNextRun } from '../../plugin/report/run-texts.ts';
import { type CronJobRow, getCronJobKey } from '../model/cron-job-rows.ts';
import { withDisplayZone } from '../model/display-zone.ts';
import { computeMarks } from '../model/timeline-marks.ts';
import { usePageState } from '../page-state.ts';
import { StateBadge } from '../parts/badges.tsx';
import { Link } from '../parts/link.tsx';
import { RowTimeline } from '../timeline/row-timeline.tsx';
import type { TimeScale } from '../timeline/time-scale.ts';

/** The number of additional rows above and below the visible rows, so that no gaps appear while the user scrolls. */
const OVERSCAN_ROWS = 8;

interface RowListProps {
  readonly rows: readonly CronJobRow[];
  readonly scale: TimeScale;
  readonly rowHeight: number;
}

/** Renders only the visible rows of a long list. */
export function RowList({ rows, scale, rowHeight }: RowListProps) {
  const boxRef = useRef<HTMLDivElement>(null);
  const visibleRange = useSignal({ first: 0, count: 30 });
  useLayoutEffect(() => {
    const updateVisible = () => {
      if (boxRef.current === null) return;
      const hiddenHeight = Math.max(0, -boxRef.current.getBoundingClientRect().top);
      const firstIndex = Math.max(0, Math.floor(hiddenHeight / rowHeight) - OVERSCAN_ROWS);
      const count = Math.ceil(innerHeight / rowHeight) + 2 * OVERSCAN_ROWS;
      if (firstIndex !== visibleRange.value.first || count !== visibleRange.value.count)
        visibleRange.value = { first: firstIndex, count };
    };
    updateVisible();
    const controller = new AbortController();
    addEventListener('scroll', updateVisible, { passive: true, signal: controller.signal });
    addEventListener('resize', updateVisible, { signal: controller.signal });
    return () => controller.abort();
  }, [visibleRange, rowHeight, rows.length]);
  const firstRow = Math.min(visibleRange.value.first, Math.max(0, rows.length - visibleRange.value.count));
  const visibleRows = rows.slice(firstRow, firstRow + visibleRange.value.count);
  return (
    <div
      class="rows"
      role="rowgroup"
      ref={boxRef}
      style={{ height: `${rows.length * rowHeight}px` }}
      onKeyDown={moveFocus}
    >
      {visibleRows.map((row, index) => (
        <ListRow
          key={row.cronJob.metadata.uid}
          row={row}
          scale={scale}
          index={firstRow + index}
          rowHeight={rowHeight}
        />
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
  // The timeline does not change while the user scrolls. The scale depends only on the time range.
  const timeline = useMemo(
    () => (
      <RowTimeline
        {...{ scale, now }}
        cronJob={withDisplayZone(cronJob, zone.value)}
        marks={computeMarks(cronJob, range.value, now)}
        height={TIMELINE_HEIGHT}
        onSelect={(entryTime) => navigate({ cronJob: getCronJobKey(cronJob), entryTime })}
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
        <Link to={{ cronJob: getCronJobKey(cronJob), entryTime: '' }}>
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

/** Moves the focus to the previous or next row with the arrow keys. */
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
