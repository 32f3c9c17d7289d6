/** The listed CronJobs in their order. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { STANDINGS, type Standing, standingOf } from '../../plugin/report/standing.ts';
import { selectorOf } from './labels.ts';
import { marksOf } from './marks.ts';
import { rangeOf, type View } from './view.ts';

export interface Row {
  readonly cronJob: CronJob;
  readonly standing: Standing;
}

export interface Rows {
  /** Worst first, then by namespace and name. */
  readonly rows: readonly Row[];
  /** Number of CronJobs per state, of all that match the other filters. */
  readonly counts: ReadonlyMap<Standing, number>;
}

/** All rows, worst first. @param before Returned when nothing has changed, so that nothing is rendered again. */
export function rowsOf(cronJobs: Iterable<CronJob>, now: Date, before: readonly Row[] = []): readonly Row[] {
  const rows = [...cronJobs]
    .map((cronJob) => {
      const standing = standingOf(cronJob, now);
      // A row does not move with each of its runs.
      const rank = STANDINGS.indexOf(standing === 'Running' ? 'OK' : standing);
      return { row: { cronJob, standing }, rank, key: keyOf(cronJob) };
    })
    .toSorted((left, right) => left.rank - right.rank || (left.key < right.key ? -1 : 1))
    .map(({ row }) => row);
  return isSame(rows, before) ? before : rows;
}

function isSame(left: readonly Row[], right: readonly Row[]): boolean {
  return (
    left.length === right.length &&
    left.every(
      ({ cronJob, standing }, index) => cronJob === right[index]?.cronJob && standing === right[index]?.standing,
    )
  );
}

/** The rows that match the view. */
export function filtered(all: readonly Row[], view: View, now: Date): Rows {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  const selects = selectorOf(view.labels) ?? (() => true);
  const range = rangeOf(view.span, now.getTime());
  const fitting = all.filter(({ cronJob }) => {
    const { metadata } = cronJob;
    if (view.namespace !== '' && metadata.namespace !== view.namespace) return false;
    if (words.length > 0 && !words.every((word) => searchedText(cronJob).includes(word))) return false;
    if (!selects(metadata.labels ?? {})) return false;
    return !view.isBusyOnly || !marksOf(cronJob, range, now).isEmpty;
  });
  const counts = new Map<Standing, number>();
  for (const { standing } of fitting) counts.set(standing, (counts.get(standing) ?? 0) + 1);
  const { standings } = view;
  const rows = standings.length === 0 ? fitting : fitting.filter(({ standing }) => standings.includes(standing));
  return { rows, counts };
}

export function keyOf({ metadata }: CronJob): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** A changed CronJob is a new object, so the key is never stale. */
const texts = new WeakMap<CronJob, string>();

function searchedText(cronJob: CronJob): string {
  const known = texts.get(cronJob);
  if (known !== undefined) return known;
  const { schedule, timeZone = '' } = cronJob.spec;
  const text = `${keyOf(cronJob)} ${schedule} ${timeZone}`.toLowerCase();
  texts.set(cronJob, text);
  return text;
}
