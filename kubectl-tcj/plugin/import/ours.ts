/** Changes to our CronJob during the revert of its import. */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { poll } from '../poll.ts';
import type { Context } from './context.ts';
import { isActive, jobs, jobsOf } from './source.ts';

const LOOK_MS = 500;
/** Maximum time until a manager reconciles an edit, including its earlier work. */
const MANAGER_PATIENCE_MS = 20_000;
const RUNS_PATIENCE_MS = 10 * 60_000;

/** Resolves to the CronJob when its manager has recorded the suspension, and so starts no more runs of it. */
export async function suspendOurs(cronJob: CronJob, context: Context): Promise<CronJob> {
  const { client, clock, signal } = context;
  const { metadata, spec } = cronJob;
  // Also when a user resumed it while an earlier attempt was interrupted.
  if (metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === undefined || !spec.suspend) {
    const annotations = { [REVERTING_IMPORT_ANNOTATION]: `${isSuspendedAt(spec, clock.now())}` };
    const body = { metadata: { annotations }, spec: { suspend: true } };
    await client.patch(cronJobs, metadata, { kind: 'merge', body }, { signal });
  }
  const look = async () => {
    const found = await asItIs(cronJob, context);
    const { observedGeneration = 0 } = found.status ?? {};
    return found.spec.suspend && observedGeneration >= (found.metadata.generation ?? 0) ? found : undefined;
  };
  const seen = await poll(look, lookingFor(MANAGER_PATIENCE_MS, context));
  if (seen !== undefined) return seen;
  throw new CommandError(
    'no manager has reconciled the suspension yet; check that the manager runs, then run the same command again',
  );
}

/** The value of `suspend` before the revert. */
export function wasSuspendedBefore({ metadata }: CronJob): boolean {
  return metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === 'true';
}

/** Resumes our CronJob. */
export async function resumeOurs(cronJob: CronJob, { client }: Context): Promise<void> {
  const body = {
    metadata: { annotations: { [REVERTING_IMPORT_ANNOTATION]: null } },
    spec: { suspend: wasSuspendedBefore(cronJob) },
  };
  // Also after Ctrl-C.
  await client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body });
}

/** Waits until the runs of the CronJob have ended; false when they are still active after some minutes. */
export async function noneActive(cronJob: CronJob, context: Context): Promise<boolean> {
  const { client, signal } = context;
  const { namespace } = cronJob.metadata;
  let isTold = false;
  const look = async () => {
    await asItIs(cronJob, context);
    const active = jobsOf(cronJob, await client.list(jobs, { namespace, signal })).filter(isActive);
    if (active.length === 0) return true;
    const names = active.map(({ metadata: { name } }) => name).join(', ');
    if (!isTold) context.report.waits(`${formatKey(cronJob)}: waiting for its active runs to end: ${names}`);
    isTold = true;
    return undefined;
  };
  return (await poll(look, lookingFor(RUNS_PATIENCE_MS, context))) === true;
}

async function asItIs({ metadata }: CronJob, { client, signal }: Context): Promise<CronJob> {
  const found = await client.get(cronJobs, metadata, { signal });
  if (found?.metadata.uid !== metadata.uid) throw new CommandError('the CronJob was deleted during the revert');
  return found;
}

function lookingFor(patienceMs: number, { clock, signal }: Context) {
  return { clock, signal, everyMs: LOOK_MS, untilMs: clock.monotonicMs() + patienceMs };
}
