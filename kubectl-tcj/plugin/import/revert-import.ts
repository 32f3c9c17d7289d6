/** Reverts imports: suspends each imported CronJob, waits for its runs, resumes the source, and deletes the imported CronJob. */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isAllowed } from '../access-review.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { addAdvice } from '../error-message.ts';
import { isTemporary } from '../reconnecting-cluster-session.ts';
import { convertToBatch, listRevertNotes } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import {
  resumeImportedCronJob,
  suspendImportedCronJob,
  waitUntilIdle,
  wasSuspendedBeforeRevert,
} from './imported-cron-job.ts';
import { findLastScheduleTime } from './last-schedule-time.ts';
import {
  getSourceUid,
  getTargetUid,
  IMPORTED_AS_ANNOTATION,
  isSuspendedForImport,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source-cron-job.ts';
import { restoreSource } from './suspend-source.ts';

/** Reverts the import of each CronJob, and reports each result or failure. Each step is idempotent. */
export async function revertAll(importedCronJobs: readonly CronJob[], context: ImportContext): Promise<void> {
  try {
    await context.report.runAll(importedCronJobs, formatKey, (each) => revertImport(each, context));
  } catch (error) {
    context.report.notify(
      'interrupted: some CronJobs may be suspended both here and in batch/v1; run the same command again to continue',
    );
    throw error;
  }
}

/** Prints the changes that {@link revertAll} would make. */
export async function printRevertPlan(importedCronJobs: readonly CronJob[], context: ImportContext): Promise<void> {
  const { client, report, signal } = context;
  await report.runAll(importedCronJobs, formatKey, async (cronJob) => {
    if (getSourceUid(cronJob) === undefined) throw new CommandError(NOT_IMPORTED_MESSAGE);
    await checkStatusPermission(cronJob.metadata.namespace, context);
    const source = await client.get(sources, cronJob.metadata, { signal });
    if (source !== undefined && !isImportSource(source, cronJob)) throw new CommandError(NAME_CONFLICT_MESSAGE);
    reportNotes(cronJob, source, context);
    const action = source === undefined ? 'recreated in batch/v1' : 'resumed in batch/v1';
    report.reportChange(formatKey(cronJob), `${action} and deleted here, with its Jobs (dry run)`);
  });
}

/** Resumes the sources of interrupted imports. */
export async function restoreSources(sourceCronJobs: readonly SourceCronJob[], context: ImportContext): Promise<void> {
  await context.report.runAll(sourceCronJobs, formatKey, async (source) => {
    await restoreSource(source, context);
    context.report.reportChange(formatKey(source), 'resumed in batch/v1: it was suspended, but not imported yet');
  });
}

const NOT_IMPORTED_MESSAGE = 'it was not imported from batch/v1';
const NAME_CONFLICT_MESSAGE = 'batch/v1 has another CronJob with this name; rename or delete it';

function isImportSource(source: SourceCronJob, cronJob: CronJob): boolean {
  return source.metadata.uid === getSourceUid(cronJob) || getTargetUid(source) === cronJob.metadata.uid;
}

async function revertImport(cronJob: CronJob, context: ImportContext): Promise<void> {
  const { signal } = context;
  if (getSourceUid(cronJob) === undefined) throw new CommandError(NOT_IMPORTED_MESSAGE);
  await checkStatusPermission(cronJob.metadata.namespace, context);
  const suspendedCronJob = await suspendImportedCronJob(cronJob, context).catch((error: unknown) => {
    throw isTemporary(error) ? addAdvice(error, UNFINISHED_ADVICE, signal) : error;
  });
  try {
    await finishRevert(suspendedCronJob, context);
  } catch (error) {
    throw addAdvice(error, UNFINISHED_ADVICE, signal);
  }
}

/** The advice after a request whose result is unknown. If both CronJobs stay suspended, neither starts runs. */
const UNFINISHED_ADVICE =
  'the CronJob may be suspended both here and in batch/v1: run the same command again to continue';

async function finishRevert(suspendedCronJob: CronJob, context: ImportContext): Promise<void> {
  const { client, report, signal } = context;
  const source = await findOrCreateSource(suspendedCronJob, context);
  const isResumed = getTargetUid(source) === undefined && !isSuspendedForImport(source);
  if (!isResumed) await resumeSource(suspendedCronJob, source, context);
  report.reportChange(formatKey(suspendedCronJob), 'runs in batch/v1 again; deleting it here, with its Jobs');
  if (!(await waitUntilIdle(suspendedCronJob, context))) {
    throw new CommandError(
      'its last runs are still active, so it stays here, suspended; run the same command again to delete it',
    );
  }
  const { uid } = suspendedCronJob.metadata;
  await client.delete(cronJobs, suspendedCronJob.metadata, {
    preconditions: { uid },
    propagationPolicy: 'Background',
    signal,
  });
}

/**
 * Rejects with a CommandError if the user may not patch the status of batch/v1 CronJobs. Without the patch, Kubernetes would repeat
 * some runs.
 */
async function checkStatusPermission(namespace: string, { client, signal }: ImportContext): Promise<void> {
  const request = { namespace, verb: 'patch', group: 'batch', resource: 'cronjobs', subresource: 'status' };
  if (await isAllowed(client, request, signal)) return;
  throw new CommandError(
    'you need permission to patch cronjobs/status in the API group batch, so that Kubernetes does not repeat runs that ran here',
  );
}

/** Returns the source of the import, or creates a deleted source again. */
async function findOrCreateSource(cronJob: CronJob, context: ImportContext): Promise<SourceCronJob> {
  const { client, signal } = context;
  const found = await client.get(sources, cronJob.metadata, { signal });
  const { uid } = cronJob.metadata;
  if (found !== undefined && !isImportSource(found, cronJob)) {
    await resumeImportedCronJob(cronJob, context);
    throw new CommandError(`${NAME_CONFLICT_MESSAGE}. The imported CronJob continues here`);
  }
  reportNotes(cronJob, found, context);
  if (found !== undefined) return found;
  const manifest = convertToBatch(cronJob);
  const annotations = { ...manifest.metadata.annotations, [IMPORTED_AS_ANNOTATION]: uid };
  return await client.create(sources, { ...manifest, metadata: { ...manifest.metadata, annotations } }, { signal });
}

function reportNotes(cronJob: CronJob, source: SourceCronJob | undefined, { clock, report }: ImportContext): void {
  const notes = listRevertNotes(cronJob, clock.now(), source);
  for (const note of notes) report.notify(`${formatKey(cronJob)}: ${note}`);
}

async function resumeSource(cronJob: CronJob, source: SourceCronJob, context: ImportContext): Promise<void> {
  const { client, signal } = context;
  if (cronJob.spec.concurrencyPolicy !== 'Allow' && !(await waitUntilIdle(cronJob, context))) {
    await resumeImportedCronJob(cronJob, context);
    throw new CommandError(
      'a run is active, and the concurrency policy allows no other. The CronJob continues here; try again when it is idle',
    );
  }
  // The status is patched before the resume, because Kubernetes immediately starts the newest run that was missed since
  // `status.lastScheduleTime`.
  const lastScheduleTime = await findLastScheduleTime(cronJob, source, context);
  if (lastScheduleTime !== undefined) {
    const body = { status: { lastScheduleTime } };
    await client.patch(sources, source.metadata, { kind: 'merge', body }, { subresource: 'status', signal });
  }
  const annotations = { [IMPORTED_AS_ANNOTATION]: null, [SUSPENDED_ANNOTATION]: null };
  const body = { metadata: { annotations }, spec: { suspend: wasSuspendedBeforeRevert(cronJob) } };
  await client.patch(sources, source.metadata, { kind: 'merge', body }, { signal });
}
