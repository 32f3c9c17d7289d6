/** The second step of an import: suspends the source. */
import { isConflict } from 'controller-runtime';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { addAdvice } from '../error-message.ts';
import { isTemporary } from '../reconnecting-cluster-session.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportPlan } from './import-plan.ts';
import {
  findSuspensionTime,
  isSuspendedForImport,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source-cron-job.ts';

/**
 * The maximum time for which an import suspends a source. After this time, the import resumes the source, because the new CronJob
 * starts a missed run only within ten minutes.
 */
export const MAX_SUSPENDED_MS = 9 * 60_000;

export const CONTINUE_ADVICE = 'run the same command again to continue, or add --revert to undo the import';

/** The advice after a request whose result is unknown. A source that stays suspended starts no runs. */
export const SUSPENDED_ADVICE = `the batch/v1 CronJob may be suspended: ${CONTINUE_ADVICE}`;

/** Returns the suspended source. Rejects with a CommandError if another client changed the source after the plan was created. */
export async function suspendSource(
  { source, wasSuspended }: ImportPlan,
  context: ImportContext,
): Promise<SourceCronJob> {
  if (wasSuspended || isSuspendedForImport(source)) return source;
  const suspendedSource = await suspendUnchangedSource(source, context).catch((error: unknown) => {
    throw isTemporary(error) ? addAdvice(error, SUSPENDED_ADVICE, context.signal) : error;
  });
  if (findSuspensionTime(suspendedSource) !== undefined) return suspendedSource;
  await restoreSource(suspendedSource, context).catch((error: unknown) => {
    throw addAdvice(error, SUSPENDED_ADVICE, context.signal);
  });
  throw new CommandError(
    'the API server does not record change times (managedFields); the batch/v1 CronJob continues as before',
  );
}

async function suspendUnchangedSource(
  source: SourceCronJob,
  { client, signal }: ImportContext,
): Promise<SourceCronJob> {
  for (let current = source; ; ) {
    const { resourceVersion } = current.metadata;
    const body = {
      metadata: { resourceVersion, annotations: { [SUSPENDED_ANNOTATION]: 'true' } },
      spec: { suspend: true },
    };
    try {
      return await client.patch(sources, source.metadata, { kind: 'merge', body }, { signal });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    // If a status update by the batch/v1 controller caused the conflict, the patch can be sent again.
    const found = await client.get(sources, source.metadata, { signal });
    if (found?.metadata.uid !== source.metadata.uid)
      throw new CommandError('the batch/v1 CronJob was deleted during the import');
    if (found.metadata.generation !== source.metadata.generation) {
      throw new CommandError(
        'another client changed the batch/v1 CronJob during the import; run the same command again',
      );
    }
    current = found;
  }
}

/**
 * Resumes the source, so that the batch/v1 controller starts the newest missed run. Rejects with a CommandError if the new CronJob
 * exists, because then both CronJobs would start runs.
 */
export async function restoreSource(source: SourceCronJob, { client }: ImportContext): Promise<void> {
  if ((await client.get(cronJobs, source.metadata)) !== undefined) {
    throw new CommandError('the imported CronJob was created in the meantime; run the same command again');
  }
  const body = { metadata: { annotations: { [SUSPENDED_ANNOTATION]: null } }, spec: { suspend: false } };
  // The request has no signal, because it must also be sent after Ctrl-C.
  await client.patch(sources, source.metadata, { kind: 'merge', body });
}

/** Returns the duration of the suspension by an import; 0 if no import has suspended the source. */
export function computeSuspendedMs(source: SourceCronJob, { serverClock }: ImportPlan): number {
  const suspensionTime = isSuspendedForImport(source) ? findSuspensionTime(source) : undefined;
  return suspensionTime === undefined ? 0 : Math.max(0, serverClock.now().getTime() - suspensionTime.getTime());
}
