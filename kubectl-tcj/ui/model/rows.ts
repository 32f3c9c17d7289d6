/** The listed CronJobs in their order. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CRON_JOB_STATES, type CronJobState, computeState } from '../../plugin/report/cron-job-state.ts';
import { parseSelector } from './label-selector.ts';
import { computeMarks } from './marks.ts';
import { computeRange, type View } from './view.ts';

export interface CronJobRow {
  readonly cronJob: CronJob;
  readonly state: CronJobState;
}

export interface FilteredRows {
  /** Worst first, then by namespace and name. */
  readonly rows: readonly CronJobRow[];
  /** Number of CronJobs per state, of all that match the other filters. */
  readonly counts: ReadonlyMap<CronJobState, number>;
}

/** All rows, worst first. @param previous Returned when nothing has changed, so that nothing is rendered again. */
export function buildRows(
  cronJobs: Iterable<CronJob>,
  now: Date,
  previous: readonly CronJobRow[] = [],
): readonly CronJobRow[] {
  const rows = [...cronJobs]
    .map((cronJob) => {
      const state = computeState(cronJob, now);
      // A row does not move with each of its runs.
      const rank = CRON_JOB_STATES.indexOf(state === 'Running' ? 'OK' : state);
      return { row: { cronJob, state }, rank, key: getKey(cronJob) };
    })
    .toSorted((left, right) => left.rank - right.rank || (left.key < right.key ? -1 : 1))
    .map(({ row }) => row);
  return areEqual(rows, previous) ? previous : rows;
}

function areEqual(left: readonly CronJobRow[], right: readonly CronJobRow[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ cronJob, state }, index) => cronJob === right[index]?.cronJob && state === right[index]?.state)
  );
}

/** The rows that match the view. */
export function filterRows(allRows: readonly CronJobRow[], view: View, now: Date): FilteredRows {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matchesLabels = parseSelector(view.labels) ?? (() => true);
  const range = computeRange(view.span, now.getTime());
  const matching = allRows.filter(({ cronJob }) => {
    const { metadata } = cronJob;
    if (view.namespace !== '' && metadata.namespace !== view.namespace) return false;
    if (words.length > 0 && !words.every((word) => getSearchText(cronJob).includes(word))) return false;
    if (!matchesLabels(metadata.labels ?? {})) return false;
    return !view.isBusyOnly || !computeMarks(cronJob, range, now).isEmpty;
  });
  const counts = new Map<CronJobState, number>();
  for (const { state } of matching) counts.set(state, (counts.get(state) ?? 0) + 1);
  const { states } = view;
  const rows = states.length === 0 ? matching : matching.filter(({ state }) => states.includes(state));
  return { rows, counts };
}

export function getKey({ metadata }: CronJob): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** A changed CronJob is a new object, so the key is never stale. */
const searchTexts = new WeakMap<CronJob, string>();

function getSearchText(cronJob: CronJob): string {
  const cached = searchTexts.get(cronJob);
  if (cached !== undefined) return cached;
  const { schedule, timeZone = '' } = cronJob.spec;
  const text = `${getKey(cronJob)} ${schedule} ${timeZone}`.toLowerCase();
  searchTexts.set(cronJob, text);
  return text;
}
