/**
 * Reverts an import: suspends our CronJob and waits for its runs, reports its runs to batch/v1, resumes the source, and deletes our
 * CronJob.
 */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { isAllowed } from '../is-allowed.ts';
import type { ImportContext } from './context.ts';
import { convertBack } from './convert.ts';
import { resumeImported, suspendImported, waitUntilIdle, wasSuspendedBefore } from './imported-cron-job.ts';
import { findLastScheduleTime } from './last-schedule-time.ts';
import {
  getSourceUid,
  getTargetUid,
  IMPORTED_AS_ANNOTATION,
  isSuspendedForImport,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source.ts';
import { restoreSource } from './suspend.ts';

/**
 * Resolves when each CronJob runs in batch/v1 again and is deleted here, or when its failure was reported. Each step can be
 * repeated.
 */
export async function revertAll(found: readonly CronJob[], context: ImportContext): Promise<void> {
  try {
    await context.report.each(found, formatKey, (each) => revert(each, context));
  } catch (error) {
    context.report.notify(
      'interrupted: some CronJobs may be suspended both here and in batch/v1; run the same command again to continue',
    );
    throw error;
  }
}

/** Prints what {@link revertAll} would do. */
export async function printRevertPlan(found: readonly CronJob[], context: ImportContext): Promise<void> {
  const { client, report, signal } = context;
  await report.each(found, formatKey, async (cronJob) => {
    if (getSourceUid(cronJob) === undefined) throw new CommandError(NOT_IMPORTED);
    await checkStatusPermission(cronJob.metadata.namespace, context);
    const source = await client.get(sources, cronJob.metadata, { signal });
    if (source !== undefined && !isImportSource(source, cronJob)) throw new CommandError(OTHER_SOURCE);
    const how = source === undefined ? 'recreated in batch/v1' : 'resumed in batch/v1';
    report.done(formatKey(cronJob), `${how} and deleted here, with its Jobs (dry run)`);
  });
}

/** Resumes sources that an import has suspended and not yet replaced. */
export async function restoreSources(found: readonly SourceCronJob[], context: ImportContext): Promise<void> {
  await context.report.each(found, formatKey, async (source) => {
    await restoreSource(source, context);
    context.report.done(formatKey(source), 'resumed in batch/v1: it was suspended, but not imported yet');
  });
}

const NOT_IMPORTED = 'it was not imported from batch/v1';
const OTHER_SOURCE = 'batch/v1 has another CronJob with this name; rename or delete it';

function isImportSource(source: SourceCronJob, cronJob: CronJob): boolean {
  return source.metadata.uid === getSourceUid(cronJob) || getTargetUid(source) === cronJob.metadata.uid;
}

async function revert(cronJob: CronJob, context: ImportContext): Promise<void> {
  const { client, report, signal } = context;
  if (getSourceUid(cronJob) === undefined) throw new CommandError(NOT_IMPORTED);
  await checkStatusPermission(cronJob.metadata.namespace, context);
  const suspended = await suspendImported(cronJob, context);
  const source = await findOrCreateSource(suspended, context);
  const isHandedBack = getTargetUid(source) === undefined && !isSuspendedForImport(source);
  if (!isHandedBack) await resumeSource(suspended, source, context);
  report.done(formatKey(cronJob), 'runs in batch/v1 again; deleting it here, with its Jobs');
  if (!(await waitUntilIdle(suspended, context))) {
    throw new CommandError(
      'its last runs are still active, so it stays here, suspended; run the same command again to delete it',
    );
  }
  const { uid } = cronJob.metadata;
  await client.delete(cronJobs, cronJob.metadata, { preconditions: { uid }, propagationPolicy: 'Background', signal });
}

/** Throws a CommandError without the right to write the status of batch/v1 CronJobs: Kubernetes would start some runs again. */
async function checkStatusPermission(namespace: string, { client, signal }: ImportContext): Promise<void> {
  const request = { namespace, verb: 'patch', group: 'batch', resource: 'cronjobs', subresource: 'status' };
  if (await isAllowed(client, request, signal)) return;
  throw new CommandError(
    'you need permission to patch cronjobs/status in the API group batch, so that Kubernetes does not repeat runs that ran here',
  );
}

/** The imported source, or a new copy if it has been deleted. */
async function findOrCreateSource(cronJob: CronJob, context: ImportContext): Promise<SourceCronJob> {
  const { client, signal, report } = context;
  const found = await client.get(sources, cronJob.metadata, { signal });
  const { uid } = cronJob.metadata;
  if (found !== undefined) {
    if (isImportSource(found, cronJob)) return found;
    await resumeImported(cronJob, context);
    throw new CommandError(`${OTHER_SOURCE}. The imported CronJob continues here`);
  }
  const { converted, notes } = convertBack(cronJob);
  for (const note of notes) report.notify(`${formatKey(cronJob)}: ${note}`);
  const annotations = { ...converted.metadata.annotations, [IMPORTED_AS_ANNOTATION]: uid };
  return await client.create(sources, { ...converted, metadata: { ...converted.metadata, annotations } }, { signal });
}

async function resumeSource(cronJob: CronJob, source: SourceCronJob, context: ImportContext): Promise<void> {
  const { client, signal } = context;
  if (cronJob.spec.concurrencyPolicy !== 'Allow' && !(await waitUntilIdle(cronJob, context))) {
    await resumeImported(cronJob, context);
    throw new CommandError(
      'a run is active, and the concurrency policy allows no other. The CronJob continues here; try again when it is idle',
    );
  }
  // Before the resume: Kubernetes starts the newest time after the last time that it has recorded, including a time that ran here.
  const lastScheduleTime = await findLastScheduleTime(cronJob, source, context);
  if (lastScheduleTime !== undefined) {
    const body = { status: { lastScheduleTime } };
    await client.patch(sources, source.metadata, { kind: 'merge', body }, { subresource: 'status', signal });
  }
  const annotations = { [IMPORTED_AS_ANNOTATION]: null, [SUSPENDED_ANNOTATION]: null };
  const body = { metadata: { annotations }, spec: { suspend: wasSuspendedBefore(cronJob) } };
  await client.patch(sources, source.metadata, { kind: 'merge', body }, { signal });
}
