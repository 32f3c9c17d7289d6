import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { formatRelativeTime } from '../../plugin/report/sentences.ts';
import type { Marks } from '../model/marks.ts';

/** Describes a timeline in words, for screen readers. */
export function describeMarks(cronJob: CronJob, { runs, skips, upcoming, hasMoreUpcoming }: Marks, now: Date): string {
  const results = new Map<string, number>();
  for (const { run } of runs) results.set(run.result, (results.get(run.result) ?? 0) + 1);
  const skipped = skips.reduce((sum, { skip }) => sum + skip.count, 0);
  const [next] = upcoming;
  const parts = [
    ...[...results].map(([result, count]) => `${count} ${result}`),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(next === undefined
      ? []
      : [
          `${upcoming.length}${hasMoreUpcoming ? ' or more' : ''} upcoming, the next ${formatRelativeTime(cronJob, new Date(next), now)}`,
        ]),
  ];
  return parts.length === 0 ? 'No runs in this time range' : parts.join(', ');
}
