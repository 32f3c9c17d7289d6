import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { timeFrom } from '../../plugin/report/sentences.ts';
import type { Marks } from '../model/marks.ts';

/** Describes a timeline in words, for users who do not see it. */
export function spokenMarks(cronJob: CronJob, { runs, skips, coming, hasMore }: Marks, now: Date): string {
  const results = new Map<string, number>();
  for (const { run } of runs) results.set(run.result, (results.get(run.result) ?? 0) + 1);
  const skipped = skips.reduce((sum, { skip }) => sum + skip.count, 0);
  const [next] = coming;
  const parts = [
    ...[...results].map(([result, count]) => `${count} ${result}`),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(next === undefined
      ? []
      : [`${coming.length}${hasMore ? ' or more' : ''} to come, the next ${timeFrom(cronJob, new Date(next), now)}`]),
  ];
  return parts.length === 0 ? 'Nothing in the time that is shown' : parts.join(', ');
}
