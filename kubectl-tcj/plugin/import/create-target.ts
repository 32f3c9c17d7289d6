/** Creates the CronJob that replaces an idle source, or finds the CronJob that an earlier attempt created. */
import { formatKey } from 'controller-runtime';
import type { Job } from 'controller-runtime/kubernetes';
import { formatTime, isAfter } from '../../../api/time.ts';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { formatError } from '../error-message.ts';
import { isTemporary } from '../reconnecting-cluster-session.ts';
import { convertFromBatch } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportPlan } from './import-plan.ts';
import {
  computeTakeOverTime,
  filterOwnedJobs,
  findSuspensionTime,
  getSourceUid,
  IMPORTED_AS_ANNOTATION,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source-cron-job.ts';
import { restoreSource } from './suspend-source.ts';

/**
 * The maximum age of a scheduled time whose run the new CronJob starts. The operator rejects a take-over time of more than ten
 * minutes ago.
 */
const MAX_SCHEDULED_TIME_AGE_MS = 9.5 * 60_000;

/**
 * Resumes the source if the API server rejects the new CronJob. After a temporary error, rejects without a change, so that the
 * caller can retry.
 */
export async function createTarget(
  plan: ImportPlan,
  source: SourceCronJob,
  allJobs: readonly Job[],
  context: ImportContext,
): Promise<CronJob> {
  const takeOverTime = plan.wasSuspended ? undefined : chooseTakeOverTime(plan, source, allJobs);
  const target = await createOrFindTarget(plan, source, takeOverTime, context);
  await markSourceImported(plan, source, target, context);
  const suffix =
    takeOverTime === undefined
      ? ''
      : `: batch/v1 handled scheduled times up to ${formatTime(takeOverTime)}; later ones run in the new CronJob`;
  context.report.reportChange(formatKey(source), `imported${suffix}`);
  return target;
}

/** Returns the last scheduled time that the source handled. The new CronJob starts the runs of later times. */
function chooseTakeOverTime({ serverClock }: ImportPlan, source: SourceCronJob, allJobs: readonly Job[]): Date {
  const suspensionTime = findSuspensionTime(source) ?? serverClock.now();
  const takeOverTime = computeTakeOverTime(source, filterOwnedJobs(source, allJobs), suspensionTime);
  const earliest = new Date(serverClock.now().getTime() - MAX_SCHEDULED_TIME_AGE_MS);
  return isAfter(takeOverTime, earliest) ? takeOverTime : earliest;
}

async function createOrFindTarget(
  { wasSuspended }: ImportPlan,
  source: SourceCronJob,
  takeOverTime: Date | undefined,
  context: ImportContext,
): Promise<CronJob> {
  const { client, signal } = context;
  // The source is converted again, because a user may have edited it after the plan was created.
  const { converted } = convertFromBatch(source, wasSuspended);
  const takeOverAnnotation = takeOverTime && { [TAKES_OVER_FROM_ANNOTATION]: formatTime(takeOverTime) };
  const annotations = { ...converted.metadata.annotations, ...takeOverAnnotation };
  try {
    return await client.create(CronJob, { ...converted, metadata: { ...converted.metadata, annotations } }, { signal });
  } catch (error) {
    if (isTemporary(error) || signal.aborted) throw error;
    // An earlier request without a response may have created the CronJob.
    const found = await client.get(cronJobs, source.metadata, { signal });
    if (found && getSourceUid(found) === source.metadata.uid) return found;
    if (!wasSuspended) await restoreSource(source, context);
    throw new CommandError(`${formatError(error)}. The batch/v1 CronJob continues as before`);
  }
}

async function markSourceImported(
  { wasSuspended }: ImportPlan,
  source: SourceCronJob,
  target: CronJob,
  { client, signal, report }: ImportContext,
): Promise<void> {
  const annotations = { [IMPORTED_AS_ANNOTATION]: target.metadata.uid, [SUSPENDED_ANNOTATION]: null };
  const { spec } = await client.patch(
    sources,
    source.metadata,
    { kind: 'merge', body: { metadata: { annotations } } },
    { signal },
  );
  if (spec.suspend === true || wasSuspended) return;
  report.reportFailure(
    formatKey(source),
    'another client resumed the batch/v1 CronJob during the import, so both CronJobs start runs; suspend one of them',
  );
}
