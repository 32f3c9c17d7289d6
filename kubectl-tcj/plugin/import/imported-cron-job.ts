/** Suspends and resumes an imported CronJob during a revert. */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { poll } from '../poll.ts';
import type { ImportContext } from './import-context.ts';
import { filterOwnedJobs, isActiveJob, jobs } from './source-cron-job.ts';

const POLL_INTERVAL_MS = 500;
/** The maximum time to wait until a manager reconciles a change. A manager with a long work queue needs several seconds. */
const MANAGER_TIMEOUT_MS = 20_000;
const RUNS_TIMEOUT_MS = 10 * 60_000;

/** Suspends the CronJob, and waits until a manager has reconciled the suspension. */
export async function suspendImportedCronJob(cronJob: CronJob, context: ImportContext): Promise<CronJob> {
  const { client, clock, signal } = context;
  const { metadata, spec } = cronJob;
  // A user may have resumed the CronJob after an interrupted revert.
  if (metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === undefined || !spec.suspend) {
    const annotations = { [REVERTING_IMPORT_ANNOTATION]: `${isSuspendedAt(spec, clock.now())}` };
    const body = { metadata: { annotations }, spec: { suspend: true } };
    await client.patch(cronJobs, metadata, { kind: 'merge', body }, { signal });
  }
  const check = async () => {
    const found = await reloadImportedCronJob(cronJob, context);
    const { observedGeneration = 0 } = found.status ?? {};
    return found.spec.suspend && observedGeneration >= (found.metadata.generation ?? 0) ? found : undefined;
  };
  const suspendedCronJob = await poll(check, createPollOptions(MANAGER_TIMEOUT_MS, context));
  if (suspendedCronJob !== undefined) return suspendedCronJob;
  throw new CommandError(
    'no manager has reconciled the suspension yet; check that the manager runs, then run the same command again',
  );
}

export function wasSuspendedBeforeRevert({ metadata }: CronJob): boolean {
  return metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === 'true';
}

export async function resumeImportedCronJob(cronJob: CronJob, { client }: ImportContext): Promise<void> {
  const body = {
    metadata: { annotations: { [REVERTING_IMPORT_ANNOTATION]: null } },
    spec: { suspend: wasSuspendedBeforeRevert(cronJob) },
  };
  // The request has no signal, because it must also be sent after Ctrl-C.
  await client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body });
}

/** Waits until the runs of the CronJob have finished. Returns false if a run is still active after ten minutes. */
export async function waitUntilIdle(cronJob: CronJob, context: ImportContext): Promise<boolean> {
  const { client, signal } = context;
  const { namespace } = cronJob.metadata;
  let hasNotified = false;
  const check = async () => {
    await reloadImportedCronJob(cronJob, context);
    const activeJobs = filterOwnedJobs(cronJob, await client.list(jobs, { namespace, signal })).filter(isActiveJob);
    if (activeJobs.length === 0) return true;
    const names = activeJobs.map(({ metadata: { name } }) => name).join(', ');
    if (!hasNotified) context.report.notify(`${formatKey(cronJob)}: waiting for its active runs to end: ${names}`);
    hasNotified = true;
    return undefined;
  };
  return (await poll(check, createPollOptions(RUNS_TIMEOUT_MS, context))) === true;
}

async function reloadImportedCronJob({ metadata }: CronJob, { client, signal }: ImportContext): Promise<CronJob> {
  const found = await client.get(cronJobs, metadata, { signal });
  if (found?.metadata.uid !== metadata.uid) throw new CommandError('the CronJob was deleted during the revert');
  return found;
}

function createPollOptions(timeoutMs: number, { clock, signal }: ImportContext) {
  return { clock, signal, intervalMs: POLL_INTERVAL_MS, deadlineMs: clock.monotonicMs() + timeoutMs };
}
