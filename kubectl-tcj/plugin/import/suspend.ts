/** The second step: suspends the source, and can undo the suspension. */
import { isConflict } from 'controller-runtime';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import type { ImportContext } from './context.ts';
import type { ImportPlan } from './plan.ts';
import {
  findSuspensionTime,
  isSuspendedForImport,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source.ts';

/**
 * A source that is suspended for this long is resumed: a time that it misses meanwhile must not be older than the new CronJob may
 * take over.
 */
export const MAX_SUSPENDED_MS = 9 * 60_000;

/**
 * Returns the source as it is stored now. Rejects with a CommandError when another client has changed it since the plan was made.
 */
export async function suspendSource(
  { source, wasSuspended }: ImportPlan,
  context: ImportContext,
): Promise<SourceCronJob> {
  if (wasSuspended || isSuspendedForImport(source)) return source;
  const suspended = await suspendAsPlanned(source, context);
  if (findSuspensionTime(suspended) !== undefined) return suspended;
  await restoreSource(suspended, context);
  throw new CommandError(
    'the API server does not record change times (managedFields); the batch/v1 CronJob continues as before',
  );
}

async function suspendAsPlanned(source: SourceCronJob, { client, signal }: ImportContext): Promise<SourceCronJob> {
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
    // The source's controller writes the status whenever a run starts or ends.
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
 * Restores the source; its controller then starts the newest time that it missed. Rejects with a CommandError when the source was
 * replaced after all, for example by a request without a response, because both CronJobs would run.
 */
export async function restoreSource(source: SourceCronJob, { client }: ImportContext): Promise<void> {
  if ((await client.get(cronJobs, source.metadata)) !== undefined) {
    throw new CommandError('the imported CronJob was created in the meantime; run the same command again');
  }
  const body = { metadata: { annotations: { [SUSPENDED_ANNOTATION]: null } }, spec: { suspend: false } };
  // Also after Ctrl-C.
  await client.patch(sources, source.metadata, { kind: 'merge', body });
}

/** How long our suspension of the source has lasted; 0 without one. */
export function computeSuspendedMs(source: SourceCronJob, { serverClock }: ImportPlan): number {
  const since = isSuspendedForImport(source) ? findSuspensionTime(source) : undefined;
  return since === undefined ? 0 : Math.max(0, serverClock.now().getTime() - since.getTime());
}
