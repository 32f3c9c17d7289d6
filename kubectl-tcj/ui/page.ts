/** State that the parts of the page share. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { Store } from './cluster/store.ts';
import { createNavigation, type Navigation } from './model/navigation.ts';
import { filtered, keyOf, type Row, type Rows, rowsOf } from './model/rows.ts';
import { toldIn } from './model/told-in.ts';
import { rangeOf, type TimeRange } from './model/view.ts';

export interface Page extends Navigation {
  readonly store: Store;
  readonly all: ReadonlySignal<readonly Row[]>;
  readonly rows: ReadonlySignal<Rows>;
  /** The shown time. */
  readonly range: ReadonlySignal<TimeRange>;
  readonly namespaces: ReadonlySignal<readonly string[]>;
  /** The CronJob whose details are shown, with times in {@link zone}; `undefined` when no CronJob has that name. */
  readonly selected: ReadonlySignal<CronJob | undefined>;
  /** IANA name of the zone of printed times. */
  readonly zone: ReadonlySignal<string>;
}

export const { timeZone: LOCAL_ZONE } = Intl.DateTimeFormat().resolvedOptions();

export function createPage(store: Store): Page {
  const navigation = createNavigation();
  const { view } = navigation;
  const { cronJobs, now } = store;
  const zone = computed(() => (view.value.zone === 'utc' ? 'UTC' : LOCAL_ZONE));
  let before: readonly Row[] = [];
  const all = computed(() => {
    before = rowsOf(cronJobs.value.values(), now.value, before);
    return before;
  });
  return {
    ...navigation,
    store,
    all,
    // Only one filter depends on the current time.
    rows: computed(() => filtered(all.value, view.value, view.value.isBusyOnly ? now.value : now.peek())),
    range: computed(() => rangeOf(view.value.span, now.value.getTime())),
    namespaces: computed(() => [...new Set(all.value.map(({ cronJob }) => cronJob.metadata.namespace))].toSorted()),
    selected: computed(() => {
      const found = all.value.find(({ cronJob }) => keyOf(cronJob) === view.value.cronJob)?.cronJob;
      return found && toldIn(found, zone.value);
    }),
    zone,
  };
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('a part of the page stands outside of it');
  return page;
}
