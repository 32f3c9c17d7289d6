/** Runs that the next one ends before they are done (concurrencyPolicy Replace). Some are meant to go on until then; of others nothing ever comes. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseRecentRun } from '../../../api/v1/recent-lines.ts';

/** One may have been slow. */
const FROM_COUNT = 2;

interface ReplacedRuns {
  /** How many in a row. 0 where that may be chance. */
  readonly count: number;
  /** Whether no other run came after them. */
  readonly areLast: boolean;
}

/** The newest runs, but for those that go on. */
function replacedRuns({ spec, status }: CronJob): ReplacedRuns {
  if (spec.concurrencyPolicy !== 'Replace') return { count: 0, areLast: false };
  const results = status?.recentRuns?.map((line) => parseRecentRun(line)?.result) ?? [];
  const ended = results.slice(results.findIndex((result) => result !== 'Running'));
  const other = ended.findIndex((result) => result !== 'Replaced');
  const count = other < 0 ? ended.length : other;
  return { count: count < FROM_COUNT ? 0 : count, areLast: results[0] === 'Replaced' };
}

/** Empty where none was. */
export function replacedSentence(cronJob: CronJob): string {
  const { count, areLast } = replacedRuns(cronJob);
  if (count === 0) return '';
  const runs = areLast ? `the last ${count} runs` : `the ${count} runs before`;
  return `Each of ${runs} was ended for the next one before it was done (concurrencyPolicy Replace).`;
}

/** Said first. Empty where none was. */
export function replacedChange(cronJob: CronJob): string {
  if (replacedRuns(cronJob).count === 0) return '';
  return 'if runs should end by themselves, leave more time between them, or set concurrencyPolicy Forbid; ';
}
