/** One of ours while its import is reverted. */
import { sleep } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import type { Context } from './context.ts';
import { isActive, jobs, jobsOf, nameOf } from './source.ts';

const LOOK_MS = 500;
/** So long a manager takes to see an edit, with what it has to do before. */
const MANAGER_PATIENCE_MS = 20_000;
const RUNS_PATIENCE_MS = 10 * 60_000;

/** Resolves to it when its manager has seen the suspension, and so starts no more of its runs. */
export async function suspendOurs(cronJob: CronJob, context: Context): Promise<CronJob> {
  const { client, clock, signal } = context;
  const { metadata, spec } = cronJob;
  // Also when somebody has resumed it while an earlier try was interrupted.
  if (metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === undefined || !spec.suspend) {
    const annotations = { [REVERTING_IMPORT_ANNOTATION]: `${isSuspendedAt(spec, clock.now())}` };
    const body = { metadata: { annotations }, spec: { suspend: true } };
    await client.patch(cronJobs, metadata, { kind: 'merge', body }, { signal });
  }
  const seen = await looked(cronJob, MANAGER_PATIENCE_MS, context, async (found) => {
    const { observedGeneration = 0 } = found.status ?? {};
    return found.spec.suspend && observedGeneration >= (found.metadata.generation ?? 0) ? found : undefined;
  });
  if (seen !== undefined) return seen;
  throw new CommandError('no manager has seen yet that it is suspended; run the same command again when one works');
}

/** As `suspend` was before the revert. */
export function wasSuspendedBefore({ metadata }: CronJob): boolean {
  return metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] === 'true';
}

/** It goes on here. */
export async function resumeOurs(cronJob: CronJob, { client }: Context): Promise<void> {
  const body = {
    metadata: { annotations: { [REVERTING_IMPORT_ANNOTATION]: null } },
    spec: { suspend: wasSuspendedBefore(cronJob) },
  };
  // Also after Ctrl-C.
  await client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body });
}

/** Waits until its runs have ended; false when they have not for minutes. */
export async function noneActive(cronJob: CronJob, context: Context): Promise<boolean> {
  const { client, signal } = context;
  const { namespace } = cronJob.metadata;
  let isTold = false;
  const ended = await looked(cronJob, RUNS_PATIENCE_MS, context, async () => {
    const active = jobsOf(cronJob, await client.list(jobs, { namespace, signal })).filter(isActive);
    if (active.length === 0) return true;
    const names = active.map(({ metadata: { name } }) => name).join(', ');
    if (!isTold) context.report.waits(`${nameOf(cronJob)}: waiting until its runs have ended: ${names}`);
    isTold = true;
    return undefined;
  });
  return ended === true;
}

/** Looks at it until `look` resolves to something. */
async function looked<T>(
  { metadata }: CronJob,
  patienceMs: number,
  { client, clock, signal }: Context,
  look: (found: CronJob) => Promise<T | undefined>,
): Promise<T | undefined> {
  const fromMs = clock.monotonicMs();
  for (;;) {
    const found = await client.get(cronJobs, metadata, { signal });
    if (found?.metadata.uid !== metadata.uid) throw new CommandError('it has been deleted meanwhile');
    const seen = await look(found);
    if (seen !== undefined || clock.monotonicMs() - fromMs > patienceMs) return seen;
    await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
}
