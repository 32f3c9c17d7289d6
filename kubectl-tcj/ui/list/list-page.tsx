import { useMemo } from 'preact/hooks';
import { usePage } from '../page.ts';
import { useWidth } from '../parts/use-width.ts';
import { Axis } from '../timeline/axis.tsx';
import { Legend } from '../timeline/legend.tsx';
import { StartsHistogram } from '../timeline/starts-histogram.tsx';
import { timeScale } from '../timeline/time-scale.ts';
import { FilterBar } from './filter-bar.tsx';
import { NothingListed } from './nothing-listed.tsx';
import { RowList } from './row-list.tsx';

/** Below this width, a row has two lines, with the timeline in the second. Same value as in the style sheet. */
const NARROW = 720;
const ROW_HEIGHT = 38;
const NARROW_ROW_HEIGHT = 84;

/** All CronJobs on one time scale. */
export function ListPage() {
  const { all, store } = usePage();
  // The notice above says why.
  const isNothingKnown = all.value.length === 0 && store.watch.value.kind === 'Broken';
  return (
    <main id="main" tabIndex={-1} class="list">
      <h1 class="spoken">CronJobs</h1>
      {!isNothingKnown && <Listed />}
    </main>
  );
}

function Listed() {
  const { rows, range, store, view, zone } = usePage();
  const { ref, width } = useWidth<HTMLDivElement>();
  const { fromMs, untilMs } = range.value;
  const { zone: choice } = view.value;
  const times = useMemo(() => timeScale({ fromMs, untilMs }, width, choice), [fromMs, untilMs, width, choice]);
  const listed = rows.value.rows;
  return (
    <>
      <FilterBar />
      <div class="table" role="table" aria-label="CronJobs, the worst first" aria-rowcount={listed.length + 1}>
        <div class="head" role="rowgroup">
          <div class="row" role="row" aria-rowindex={1}>
            <div role="columnheader" class="state">
              State
            </div>
            <div role="columnheader" class="name">
              {listed.length} CronJob{listed.length === 1 ? '' : 's'}
            </div>
            <div role="columnheader" class="last">
              Last run
            </div>
            <div role="columnheader" class="next">
              Next
            </div>
            <div role="columnheader" class="time">
              <span class="spoken">Timeline, times in {zone.value}</span>
              <div ref={ref}>
                <StartsHistogram scale={times} />
                <Axis scale={times} nowMs={store.now.value.getTime()} />
              </div>
            </div>
          </div>
        </div>
        {listed.length > 0 && (
          <RowList rows={listed} scale={times} rowHeight={innerWidth < NARROW ? NARROW_ROW_HEIGHT : ROW_HEIGHT} />
        )}
      </div>
      {listed.length === 0 && <NothingListed />}
      <Legend />
    </>
  );
}
