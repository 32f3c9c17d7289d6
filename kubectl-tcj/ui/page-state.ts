/** The shared state of all components of the page. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { ClusterStore } from './cluster/cluster-store.ts';
import { buildRows, type CronJobRow, type FilteredRows, filterRows, getCronJobKey } from './model/cron-job-rows.ts';
import { withDisplayZone } from './model/display-zone.ts';
import { createNavigation, type Navigation } from './model/navigation.ts';
import { computeRange, type TimeRange } from './model/view.ts';

export interface PageState extends Navigation {
  readonly store: ClusterStore;
  readonly allRows: ReadonlySignal<readonly CronJobRow[]>;
  readonly rows: ReadonlySignal<FilteredRows>;
  readonly range: ReadonlySignal<TimeRange>;
  readonly namespaces: ReadonlySignal<readonly string[]>;
  /** The CronJob on the detail page, with {@link zone} as the display zone. `undefined` if the CronJob does not exist. */
  readonly selectedCronJob: ReadonlySignal<CronJob | undefined>;
  /** The IANA name of the display zone. */
  readonly zone: ReadonlySignal<string>;
}

export const { timeZone: LOCAL_ZONE } = Intl.DateTimeFormat().resolvedOptions();

export function createPageState(store: ClusterStore): PageState {
  const navigation = createNavigation();
  const { view } = navigation;
  const { cronJobs, now } = store;
  const zone = computed(() => (view.value.zone === 'utc' ? 'UTC' : LOCAL_ZONE));
  let previousRows: readonly CronJobRow[] = [];
  const allRows = computed(() => {
    previousRows = buildRows(cronJobs.value.values(), now.value, previousRows);
    return previousRows;
  });
  return {
    ...navigation,
    store,
    allRows,
    // Only the filter `shouldHideEmpty` depends on the current time.
    rows: computed(() => filterRows(allRows.value, view.value, view.value.shouldHideEmpty ? now.value : now.peek())),
    range: computed(() => computeRange(view.value.rangeChoice, now.value.getTime())),
    namespaces: computed(() => [...new Set(allRows.value.map(({ cronJob }) => cronJob.metadata.namespace))].toSorted()),
    selectedCronJob: computed(() => {
      const cronJob = allRows.value.find(({ cronJob }) => getCronJobKey(cronJob) === view.value.cronJob)?.cronJob;
      return cronJob && withDisplayZone(cronJob, zone.value);
    }),
    zone,
  };
}

export const PageContext = createContext<PageState | undefined>(undefined);

export function usePageState(): PageState {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('usePageState is called outside of PageContext');
  return page;
}
