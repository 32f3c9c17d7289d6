import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Remedy } from '../../plugin/report/remedy.ts';
import { explainCronJob } from '../../plugin/report/why.ts';
import { fetchRunPods } from '../cluster/requests.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { useRequest } from './use-request.ts';

interface Explanation {
  readonly sentence: string;
  readonly remedy: Remedy;
  /** The Job of the explained run, if the Job can have logs. */
  readonly jobName: string | undefined;
}

/**
 * Explains the state of a CronJob. The explanation includes the Pods of a run only after the server has sent a report
 * on the Pods.
 */
export function useExplanation(cronJob: CronJob, now: Date): Explanation {
  const hasRun = explainCronJob(cronJob, now).run !== undefined;
  const { subject, value } = useRequest(cronJob, hasRun ? () => fetchRunPods(getCronJobKey(cronJob)) : undefined);
  const podReport = subject === cronJob ? value?.podReport : undefined;
  const { run, sentence, ...remedy } = explainCronJob(cronJob, now, podReport);
  return { sentence, remedy, jobName: podReport?.arePodsDeleted ? undefined : run?.jobName };
}
