/** Finds the users who requested runs of a CronJob with CronJobRuns. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CREATED_BY_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { toRequestedJobName } from '../../../api/v1/job-names.ts';
import type { ClusterInvocation } from '../command.ts';
import { cronJobRuns } from '../cron-job-runs.ts';
import { formatErrorOrThrow } from '../error-message.ts';
import { getRequestedSlot } from '../report/sentences.ts';
import { listRuns } from '../report/timeline.ts';

/** Maps the name of a Job to the user who requested it. The admission webhook records the user. */
export type Creators = ReadonlyMap<string, string>;

/** Returns an empty map if the user may not list CronJobRuns. */
export async function findCreators(
  cronJob: CronJob,
  { session, signal }: Pick<ClusterInvocation, 'session' | 'signal'>,
): Promise<Creators> {
  const requestedRuns = listRuns(cronJob).filter(({ requestedBy }) => requestedBy !== undefined);
  if (requestedRuns.length === 0) return new Map();
  const { namespace } = cronJob.metadata;
  const found = await session.client.list(cronJobRuns, { namespace, signal }).catch((error: unknown) => {
    formatErrorOrThrow(error, signal);
    return [];
  });
  const requests = new Map(found.map((request) => [request.metadata.name, request]));
  return new Map(
    requestedRuns.flatMap((run) => {
      const request = requests.get(run.requestedBy ?? '');
      const creator = request?.metadata.annotations?.[CREATED_BY_ANNOTATION];
      // The run may belong to a deleted CronJobRun that had the name of this CronJobRun.
      const isOwn = request !== undefined && toRequestedJobName(request, getRequestedSlot(run)) === run.jobName;
      return isOwn && creator !== undefined ? [[run.jobName, creator] as const] : [];
    }),
  );
}
