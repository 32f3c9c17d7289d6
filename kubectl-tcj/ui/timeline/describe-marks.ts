import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { formatRelativeTime } from '../../plugin/report/sentences.ts';
import type { TimelineMarks } from '../model/timeline-marks.ts';

/** Describes a timeline in words for screen readers. */
export function describeMarks(
  cronJob: CronJob,
  { runs, skips, upcomingMs, hasMoreUpcoming }: TimelineMarks,
  now: Date,
): string {
  const results = new Map<string, number>();
  for (const { run } of runs) results.set(run.result, (results.get(run.result) ?? 0) + 1);
  const skipCount = skips.reduce((sum, { skip }) => sum + skip.count, 0);
  const [nextMs] = upcomingMs;
  const descriptions = [
    ...[...results].map(([result, count]) => `${count} ${result}`),
    ...(skipCount > 0 ? [`${skipCount} skipped`] : []),
    ...(nextMs === undefined
      ? []
      : [
          `${upcomingMs.length}${hasMoreUpcoming ? ' or more' : ''} upcoming, the next ${formatRelativeTime(cronJob, new Date(nextMs), now)}`,
        ]),
  ];
  return descriptions.length === 0 ? 'No runs in this time range' : descriptions.join(', ');
}
