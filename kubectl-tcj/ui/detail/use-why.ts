import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Remedy } from '../../plugin/report/remedy.ts';
import { why } from '../../plugin/report/why.ts';
import { podsOf } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';
import { useAnswer } from './use-answer.ts';

interface Standing {
  readonly sentence: string;
  readonly remedy: Remedy;
  /** Job of the run in the explanation, if it may have logs. */
  readonly jobName: string | undefined;
}

/**
 * The current state. Uses only the object until the report on the Pods of its run arrives, and when the report is not available.
 */
export function useWhy(cronJob: CronJob, now: Date): Standing {
  const hasRun = why(cronJob, now).run !== undefined;
  const { of, value } = useAnswer(cronJob, hasRun ? () => podsOf(keyOf(cronJob)) : undefined);
  const told = of === cronJob ? value?.told : undefined;
  const { run, sentence, ...remedy } = why(cronJob, now, told);
  return { sentence, remedy, jobName: told?.areGone ? undefined : run?.jobName };
}
