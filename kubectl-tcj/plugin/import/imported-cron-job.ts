/** Changes to our CronJob during the revert of its import. */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { poll } from '../poll.ts';
import type { ImportContext } from './context.ts';
import { filterOwnedJobs, isActive, jobs } from './source.ts';

const POLL_INTERVAL_MS = 500;
/** Maximum time until a manager reconciles an edit, including its earlier work. */
const MANAGER_TIMEOUT_MS = 20_000;
const RUNS_TIMEOUT_MS = 10 * 60_000;

/** Resolves to the CronJob when its manager has recorded the suspension, and so starts no more runs of it. */
export async function suspendImported(cronJob: CronJob, context: ImportContext): Promise<CronJob> {
  const { client, clock, signal } = context;
  const { metadata, spec } = cronJob;
  // Also when a user resumed it while an earlier attempt was interrupted.
  if (metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === undefined || !spec.suspend) {
    const annotations = { [REVERTING_IMPORT_ANNOTATION]: `${isSuspendedAt(spec, clock.now())}` };
    const body = { metadata: { annotations }, spec: { suspend: true } };
    await client.patch(cronJobs, metadata, { kind: 'merge', body }, { signal });
  }
  const check = async () => {
    const found = await reload(cronJob, context);
    const { observedGeneration = 0 } = found.status ?? {};
    return found.spec.suspend && observedGeneration >= (found.metadata.generation ?? 0) ? found : undefined;
  };
  const suspended = await poll(check, createPollOptions(MANAGER_TIMEOUT_MS, context));
  if (suspended !== undefined) return suspended;
  throw new CommandError(
    'no manager has reconciled the suspension yet; check that the manager runs, then run the same command again',
  );
}

/** The value of `suspend` before the revert. */
export function wasSuspendedBefore({ metadata }: CronJob): boolean {
  return metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === 'true';
}

/** Resumes our CronJob. */
export async function resumeImported(cronJob: CronJob, { client }: ImportContext): Promise<void> {
  const body = {
    metadata: { annotations: { [REVERTING_IMPORT_ANNOTATION]: null } },
    spec: { suspend: wasSuspendedBefore(cronJob) },
  };
  // Also after Ctrl-C.
  await client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body });
}

/** Waits until the runs of the CronJob have ended; false when they are still active after some minutes. */
export async function waitUntilIdle(cronJob: CronJob, context: ImportContext): Promise<boolean> {
  const { client, signal } = context;
  const { namespace } = cronJob.metadata;
  let hasNotified = false;
  const check = async () => {
    await reload(cronJob, context);
    const active = filterOwnedJobs(cronJob, await client.list(jobs, { namespace, signal })).filter(isActive);
    if (active.length === 0) return true;
    const names = active.map(({ metadata: { name } }) => name).join(', ');
    if (!hasNotified) context.report.notify(`${formatKey(cronJob)}: waiting for its active runs to end: ${names}`);
    hasNotified = true;
    return undefined;
  };
  return (await poll(check, createPollOptions(RUNS_TIMEOUT_MS, context))) === true;
}

async function reload({ metadata }: CronJob, { client, signal }: ImportContext): Promise<CronJob> {
  const found = await client.get(cronJobs, metadata, { signal });
  if (found?.metadata.uid !== metadata.uid) throw new CommandError('the CronJob was deleted during the revert');
  return found;
}

function createPollOptions(timeoutMs: number, { clock, signal }: ImportContext) {
  return { clock, signal, intervalMs: POLL_INTERVAL_MS, deadlineMs: clock.monotonicMs() + timeoutMs };
}
