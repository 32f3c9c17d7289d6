import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Remedy } from '../../plugin/report/remedy.ts';
import { explainCronJob } from '../../plugin/report/why.ts';
import { fetchRunPods } from '../cluster/requests.ts';
import { getKey } from '../model/rows.ts';
import { useRequest } from './use-request.ts';

interface Explanation {
  readonly sentence: string;
  readonly remedy: Remedy;
  /** Job of the run in the explanation, if it may have logs. */
  readonly jobName: string | undefined;
}

/**
 * The current state. Uses only the object until the report on the Pods of its run arrives, and when the report is not available.
 */
export function useWhy(cronJob: CronJob, now: Date): Explanation {
  const hasRun = explainCronJob(cronJob, now).run !== undefined;
  const { subject, value } = useRequest(cronJob, hasRun ? () => fetchRunPods(getKey(cronJob)) : undefined);
  const podReport = subject === cronJob ? value?.podReport : undefined;
  const { run, sentence, ...remedy } = explainCronJob(cronJob, now, podReport);
  return { sentence, remedy, jobName: podReport?.areGone ? undefined : run?.jobName };
}
