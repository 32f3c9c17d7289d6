/** One of ours while its import is reverted. */
import { sleep } from 'controller-runtime';
import { isAfter, parseTime } from '../../api/time.ts';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import type { Context } from './context.ts';
import { REVERT_ANNOTATION } from './marks.ts';
import { isActive, jobs, jobsOf } from './source.ts';

const LOOK_MS = 500;
/** So long a manager takes to see an edit, with what it has to do before. */
const MANAGER_PATIENCE_MS = 20_000;
const RUNS_PATIENCE_MS = 10 * 60_000;

/** Resolves to it when its manager has seen the suspension, and so starts no more of its runs. */
export async function suspendOurs(cronJob: CronJob, context: Context): Promise<CronJob> {
  const { client, clock, signal } = context;
  const { metadata, spec } = cronJob;
  if (metadata.annotations?.[REVERT_ANNOTATION] === undefined) {
    const until = parseTime(spec.suspendUntil);
    const isSuspended = spec.suspend || (until !== undefined && isAfter(until, clock.now()));
    const annotations = { [REVERT_ANNOTATION]: `${isSuspended}` };
    const body = { metadata: { annotations }, spec: { suspend: true } };
    await client.patch(CronJob, metadata, { kind: 'merge', body }, { signal });
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
  return metadata.annotations?.[REVERT_ANNOTATION] === 'true';
}

/** It goes on here. */
export async function resumeOurs(cronJob: CronJob, { client }: Context): Promise<void> {
  const body = {
    metadata: { annotations: { [REVERT_ANNOTATION]: null } },
    spec: { suspend: wasSuspendedBefore(cronJob) },
  };
  // Also after Ctrl-C.
  await client.patch(CronJob, cronJob.metadata, { kind: 'merge', body });
}

/** Waits until its runs have ended; false when they have not for minutes. */
export async function noneActive(cronJob: CronJob, context: Context): Promise<boolean> {
  const { client, signal } = context;
  const { namespace } = cronJob.metadata;
  const ended = await looked(cronJob, RUNS_PATIENCE_MS, context, async () => {
    const all = await client.list(jobs, { namespace, signal });
    return jobsOf(cronJob, all).some(isActive) ? undefined : true;
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
    const found = await client.get(CronJob, metadata, { signal });
    if (found?.metadata.uid !== metadata.uid) throw new CommandError('it has been deleted meanwhile');
    const seen = await look(found);
    if (seen !== undefined || clock.monotonicMs() - fromMs > patienceMs) return seen;
    await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
}
