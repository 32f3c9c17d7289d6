/** Runs that the next one ends before they are done (concurrencyPolicy Replace). Some are meant to go on until then; of others nothing ever comes. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { headOfRecentRun } from '../../api/v1/recent-lines.ts';

/** One may have been slow. */
const FROM_COUNT = 2;

/** How many of the newest runs in a row were ended for the next one. 0 where that may be chance. */
function replacedRuns({ spec, status }: CronJob): number {
  if (spec.concurrencyPolicy !== 'Replace') return 0;
  const results = status?.recentRuns?.map((line) => headOfRecentRun(line)?.result) ?? [];
  const ended = results.slice(results.findIndex((result) => result !== 'Running'));
  const other = ended.findIndex((result) => result !== 'Replaced');
  const count = other < 0 ? ended.length : other;
  return count < FROM_COUNT ? 0 : count;
}

/** Empty where none was. */
export function replacedSentence(cronJob: CronJob): string {
  const count = replacedRuns(cronJob);
  if (count === 0) return '';
  return `Each of the ${count} runs before was ended for the next one before it was done (concurrencyPolicy Replace).`;
}

/** Said first. Empty where none was. */
export function replacedChange(cronJob: CronJob): string {
  if (replacedRuns(cronJob) === 0) return '';
  return 'if runs should end by themselves, leave more time between them, or set concurrencyPolicy Forbid; ';
}
