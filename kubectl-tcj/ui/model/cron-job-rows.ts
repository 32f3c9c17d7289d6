/** Filters and sorts the CronJobs of the list. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { listScheduleTexts } from '../../plugin/report/cron-job-schedule.ts';
import { CRON_JOB_STATES, type CronJobState, computeState } from '../../plugin/report/cron-job-state.ts';
import { parseSelector } from './label-selector.ts';
import { computeMarks } from './timeline-marks.ts';
import { computeRange, type View } from './view.ts';

export interface CronJobRow {
  readonly cronJob: CronJob;
  readonly state: CronJobState;
}

export interface FilteredRows {
  /** The rows are sorted by state, worst first, then by namespace and name. */
  readonly rows: readonly CronJobRow[];
  /** The number of CronJobs per state, including the states that the state filter hides. */
  readonly countByState: ReadonlyMap<CronJobState, number>;
}

/**
 * Returns all rows. Rows with the worst state come first.
 * @param previousRows The result of the previous call. If no row has changed, the function returns this array, so that
 * the page does not render the rows again.
 */
export function buildRows(
  cronJobs: Iterable<CronJob>,
  now: Date,
  previousRows: readonly CronJobRow[] = [],
): readonly CronJobRow[] {
  const rows = [...cronJobs]
    .map((cronJob) => {
      const state = computeState(cronJob, now);
      // A row keeps its position when a run starts or ends.
      const rank = CRON_JOB_STATES.indexOf(state === 'Running' ? 'OK' : state);
      return { row: { cronJob, state }, rank, key: getCronJobKey(cronJob) };
    })
    .toSorted((left, right) => left.rank - right.rank || (left.key < right.key ? -1 : 1))
    .map(({ row }) => row);
  return areRowsEqual(rows, previousRows) ? previousRows : rows;
}

function areRowsEqual(left: readonly CronJobRow[], right: readonly CronJobRow[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ cronJob, state }, index) => cronJob === right[index]?.cronJob && state === right[index]?.state)
  );
}

export function filterRows(allRows: readonly CronJobRow[], view: View, now: Date): FilteredRows {
  const words = view.searchText.toLowerCase().split(/\s+/).filter(Boolean);
  const matchesLabels = parseSelector(view.labelSelector) ?? (() => true);
  const range = computeRange(view.rangeChoice, now.getTime());
  const matchingRows = allRows.filter(({ cronJob }) => {
    const { metadata } = cronJob;
    if (view.namespace !== '' && metadata.namespace !== view.namespace) return false;
    if (words.length > 0 && !words.every((word) => getSearchText(cronJob).includes(word))) return false;
    if (!matchesLabels(metadata.labels ?? {})) return false;
    return !view.shouldHideEmpty || !computeMarks(cronJob, range, now).isEmpty;
  });
  const countByState = new Map<CronJobState, number>();
  for (const { state } of matchingRows) countByState.set(state, (countByState.get(state) ?? 0) + 1);
  const { states } = view;
  const rows = states.length === 0 ? matchingRows : matchingRows.filter(({ state }) => states.includes(state));
  return { rows, countByState };
}

export function getCronJobKey({ metadata }: CronJob): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** The texts by CronJob. A changed CronJob is a new object, so cached values are never stale. */
const searchTextCache = new WeakMap<CronJob, string>();

function getSearchText(cronJob: CronJob): string {
  const cached = searchTextCache.get(cronJob);
  if (cached !== undefined) return cached;
  const { timeZone = '' } = cronJob.spec;
  const schedules = listScheduleTexts(cronJob).join(' ');
  const text = `${getCronJobKey(cronJob)} ${schedules} ${timeZone}`.toLowerCase();
  searchTextCache.set(cronJob, text);
  return text;
}
