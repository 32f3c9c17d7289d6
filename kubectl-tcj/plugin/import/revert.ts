/**
 * Reverts an import: suspends our CronJob and waits for its runs, reports its runs to batch/v1, resumes the source, and deletes our
 * CronJob.
 */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { isAllowed } from '../is-allowed.ts';
import type { Context } from './context.ts';
import { convertBack } from './convert.ts';
import { newLastScheduleTime } from './last-handled.ts';
import { noneActive, resumeOurs, suspendOurs, wasSuspendedBefore } from './ours.ts';
import {
  IMPORTED_AS_ANNOTATION,
  importedAs,
  importedFrom,
  isSuspendedByUs,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source.ts';
import { giveBack } from './suspend.ts';

/**
 * Resolves when each CronJob runs in batch/v1 again and is deleted here, or when its failure was reported. Each step can be
 * repeated.
 */
export async function revertAll(found: readonly CronJob[], context: Context): Promise<void> {
  try {
    await context.report.each(found, formatKey, (each) => revert(each, context));
  } catch (error) {
    context.report.waits(
      'interrupted: some CronJobs may be suspended both here and in batch/v1; run the same command again to continue',
    );
    throw error;
  }
}

/** Prints what {@link revertAll} would do. */
export async function planRevert(found: readonly CronJob[], context: Context): Promise<void> {
  const { client, report, signal } = context;
  await report.each(found, formatKey, async (cronJob) => {
    if (importedFrom(cronJob) === undefined) throw new CommandError(NOT_IMPORTED);
    await mayWriteStatus(cronJob.metadata.namespace, context);
    const source = await client.get(sources, cronJob.metadata, { signal });
    if (source !== undefined && !isSourceOf(source, cronJob)) throw new CommandError(OTHER_SOURCE);
    const how = source === undefined ? 'recreated in batch/v1' : 'resumed in batch/v1';
    report.done(formatKey(cronJob), `${how} and deleted here, with its Jobs (dry run)`);
  });
}

/** Resumes sources that an import has suspended and not yet replaced. */
export async function giveBackAll(found: readonly SourceCronJob[], context: Context): Promise<void> {
  await context.report.each(found, formatKey, async (source) => {
    await giveBack(source, context);
    context.report.done(formatKey(source), 'resumed in batch/v1: it was suspended, but not imported yet');
  });
}

const NOT_IMPORTED = 'it was not imported from batch/v1';
const OTHER_SOURCE = 'batch/v1 has another CronJob with this name; rename or delete it';

function isSourceOf(source: SourceCronJob, cronJob: CronJob): boolean {
  return source.metadata.uid === importedFrom(cronJob) || importedAs(source) === cronJob.metadata.uid;
}

async function revert(cronJob: CronJob, context: Context): Promise<void> {
  const { client, report, signal } = context;
  if (importedFrom(cronJob) === undefined) throw new CommandError(NOT_IMPORTED);
  await mayWriteStatus(cronJob.metadata.namespace, context);
  const suspended = await suspendOurs(cronJob, context);
  const source = await sourceOf(suspended, context);
  const isHandedBack = importedAs(source) === undefined && !isSuspendedByUs(source);
  if (!isHandedBack) await handBack(suspended, source, context);
  report.done(formatKey(cronJob), 'runs in batch/v1 again; deleting it here, with its Jobs');
  if (!(await noneActive(suspended, context))) {
    throw new CommandError(
      'its last runs are still active, so it stays here, suspended; run the same command again to delete it',
    );
  }
  const { uid } = cronJob.metadata;
  await client.delete(cronJobs, cronJob.metadata, { preconditions: { uid }, propagationPolicy: 'Background', signal });
}

/** Throws a CommandError without the right to write the status of batch/v1 CronJobs: Kubernetes would start some runs again. */
async function mayWriteStatus(namespace: string, { client, signal }: Context): Promise<void> {
  const wish = { namespace, verb: 'patch', group: 'batch', resource: 'cronjobs', subresource: 'status' };
  if (await isAllowed(client, wish, signal)) return;
  throw new CommandError(
    'you need permission to patch cronjobs/status in the API group batch, so that Kubernetes does not repeat runs that ran here',
  );
}

/** The imported source, or a new copy if it has been deleted. */
async function sourceOf(cronJob: CronJob, context: Context): Promise<SourceCronJob> {
  const { client, signal, report } = context;
  const found = await client.get(sources, cronJob.metadata, { signal });
  const { uid } = cronJob.metadata;
  if (found !== undefined) {
    if (isSourceOf(found, cronJob)) return found;
    await resumeOurs(cronJob, context);
    throw new CommandError(`${OTHER_SOURCE}. The imported CronJob continues here`);
  }
  const { converted, notes } = convertBack(cronJob);
  for (const note of notes) report.waits(`${formatKey(cronJob)}: ${note}`);
  const annotations = { ...converted.metadata.annotations, [IMPORTED_AS_ANNOTATION]: uid };
  return await client.create(sources, { ...converted, metadata: { ...converted.metadata, annotations } }, { signal });
}

async function handBack(cronJob: CronJob, source: SourceCronJob, context: Context): Promise<void> {
  const { client, signal } = context;
  if (cronJob.spec.concurrencyPolicy !== 'Allow' && !(await noneActive(cronJob, context))) {
    await resumeOurs(cronJob, context);
    throw new CommandError(
      'a run is active, and the concurrency policy allows no other. The CronJob continues here; try again when it is idle',
    );
  }
  // Before the resume: Kubernetes starts the newest time after the last time that it has recorded, including a time that ran here.
  const lastScheduleTime = await newLastScheduleTime(cronJob, source, context);
  if (lastScheduleTime !== undefined) {
    const body = { status: { lastScheduleTime } };
    await client.patch(sources, source.metadata, { kind: 'merge', body }, { subresource: 'status', signal });
  }
  const annotations = { [IMPORTED_AS_ANNOTATION]: null, [SUSPENDED_ANNOTATION]: null };
  const body = { metadata: { annotations }, spec: { suspend: wasSuspendedBefore(cronJob) } };
  await client.patch(sources, source.metadata, { kind: 'merge', body }, { signal });
}
