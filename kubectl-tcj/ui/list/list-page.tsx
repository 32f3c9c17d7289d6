import { useMemo } from 'preact/hooks';
import { usePageState } from '../page-state.ts';
import { useWidth } from '../parts/use-width.ts';
import { Legend } from '../timeline/legend.tsx';
import { StartsHistogram } from '../timeline/starts-histogram.tsx';
import { TimeAxis } from '../timeline/time-axis.tsx';
import { createTimeScale } from '../timeline/time-scale.ts';
import { EmptyList } from './empty-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RowList } from './row-list.tsx';

/**
 * If the window is narrower than this number of pixels, each row has two lines. kubectl-tcj/ui/style/list.css contains the same
 * number.
 */
const NARROW_WIDTH = 720;
const ROW_HEIGHT = 38;
const NARROW_ROW_HEIGHT = 84;

export function ListPage() {
  const { allRows, store } = usePageState();
  // The list is empty because the watch is broken. A notice above the list shows the reason.
  const hasNoData = allRows.value.length === 0 && store.watch.value.kind === 'Broken';
  return (
    <main id="main" tabIndex={-1} class="list">
      <h1 class="visually-hidden">CronJobs</h1>
      {!hasNoData && <CronJobTable />}
    </main>
  );
}

function CronJobTable() {
  const { rows, range, store, view, zone } = usePageState();
  const { ref, width } = useWidth<HTMLDivElement>();
  const { fromMs, untilMs } = range.value;
  const { zone: zoneChoice } = view.value;
  const scale = useMemo(
    () => createTimeScale({ fromMs, untilMs }, width, zoneChoice),
    [fromMs, untilMs, width, zoneChoice],
  );
  const visibleRows = rows.value.rows;
  return (
    <>
      <FilterBar />
      <div class="table" role="table" aria-label="CronJobs, worst state first" aria-rowcount={visibleRows.length + 1}>
        <div class="head" role="rowgroup">
          <div class="row" role="row" aria-rowindex={1}>
            <div role="columnheader" class="state">
              State
            </div>
            <div role="columnheader" class="name">
              {visibleRows.length} CronJob{visibleRows.length === 1 ? '' : 's'}
            </div>
            <div role="columnheader" class="last">
              Last run
            </div>
            <div role="columnheader" class="next">
              Next run
            </div>
            <div role="columnheader" class="time">
              <span class="visually-hidden">Timeline, times in {zone.value}</span>
              <div ref={ref}>
                <StartsHistogram scale={scale} />
                <TimeAxis scale={scale} nowMs={store.now.value.getTime()} />
              </div>
            </div>
          </div>
        </div>
        {visibleRows.length > 0 && (
          <RowList
            rows={visibleRows}
            scale={scale}
            rowHeight={innerWidth < NARROW_WIDTH ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
          />
        )}
      </div>
      {visibleRows.length === 0 && <EmptyList />}
      <Legend />
    </>
  );
}
