/** The third step: creates the replacement once the runs of a source have stopped. */
import { sleep } from 'controller-runtime';
import type { Job } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { isPassing } from '../reconnecting.ts';
import type { Context } from './context.ts';
import { createTarget } from './create-target.ts';
import { nameOfPlan, type Plan } from './plan.ts';
import { jobs, type SourceCronJob, STILL_MS, type Stillness, sources, stillness } from './source.ts';
import { giveBack, MAX_SUSPENDED_MS, suspendedForMs } from './suspend.ts';

/** Interval between two checks of all sources that have not stopped yet. */
const LOOK_MS = 1_000;

/** Resolves when each source was handed over or is as before. A source that was handed over has a target. */
export async function handOverAll(plans: readonly Plan[], context: Context): Promise<readonly Plan[]> {
  const { report, clock, signal } = context;
  const done: Plan[] = [];
  let moving = plans;
  if (plans.length === 0) return [];
  // The wait comes first, because each check reads all Jobs of the namespaces.
  await sleep(clock, Math.min(...plans.map(stillAfterMs)), signal);
  while (moving.length > 0) {
    const seen = await lookAtAll(moving, context);
    const handed = await report.each(
      seen,
      ({ plan }) => nameOfPlan(plan),
      (each) => whilePassing(each, context),
    );
    for (const { plan, target } of handed) if (target) done.push({ ...plan, target });
    moving = handed.filter(({ target }) => target === undefined).map(({ plan }) => plan);
    if (moving.length > 0) await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
  return done;
}

/** Minimum wait until the source can count as stopped; 0 when it was suspended before. */
function stillAfterMs(plan: Plan): number {
  return plan.wasSuspended ? 0 : Math.max(0, STILL_MS - suspendedForMs(plan.source, plan));
}

interface Seen {
  readonly plan: Plan;
  /** `undefined` when the source is gone. */
  readonly source: SourceCronJob | undefined;
  readonly jobs: readonly Job[];
}

/** Makes two list requests per namespace, however many CronJobs the namespace has. */
async function lookAtAll(plans: readonly Plan[], context: Context): Promise<readonly Seen[]> {
  const namespaces = [...new Set(plans.map(({ source }) => source.metadata.namespace))];
  const byNamespace = new Map(
    await Promise.all(namespaces.map(async (each) => [each, await contentOf(each, context)] as const)),
  );
  return plans.map((plan) => {
    const { uid, namespace } = plan.source.metadata;
    const { found, itsJobs } = byNamespace.get(namespace) ?? { found: [], itsJobs: [] };
    return { plan, source: found.find(({ metadata }) => metadata.uid === uid), jobs: itsJobs };
  });
}

export async function contentOf(namespace: string, { client, signal }: Context) {
  // In this order, so that the second list includes a Job that starts between the two.
  const found = await client.list(sources, { namespace, signal });
  return { found, itsJobs: await client.list(jobs, { namespace, signal }) };
}

interface Handed {
  readonly plan: Plan;
  /** Absent while the source still starts runs. */
  readonly target?: CronJob;
}

/** Retries temporary failures for as long as the source may be suspended. */
async function whilePassing(seen: Seen, context: Context): Promise<Handed> {
  try {
    return await handOver(seen, context);
  } catch (error) {
    if (!isPassing(error) || isTooLong(seen)) throw error;
    return { plan: seen.plan };
  }
}

async function handOver(seen: Seen, context: Context): Promise<Handed> {
  const { plan, source, jobs: all } = seen;
  if (source === undefined) throw new CommandError('the batch/v1 CronJob was deleted during the import');
  const still = plan.wasSuspended ? STILL : stillness(source, all, plan.serverClock.now());
  if (still.kind === 'Resumed')
    throw new CommandError('another client resumed the batch/v1 CronJob, so it continues as before');
  if (still.kind === 'Still') return { plan, target: await createTarget(plan, source, all, context) };
  if (!isTooLong(seen)) return { plan };
  await giveBack(source, context);
  throw new CommandError(tooLong(still));
}

const STILL: Stillness = { kind: 'Still' };

function isTooLong({ source, plan }: Seen): boolean {
  return source === undefined || suspendedForMs(source, plan) >= MAX_SUSPENDED_MS;
}

function tooLong(still: Stillness): string {
  const runs = still.kind === 'Running' ? `: ${still.jobNames.join(', ')} is active` : '';
  return (
    `the batch/v1 CronJob did not become idle within ${MAX_SUSPENDED_MS / 60_000} minutes${runs}. ` +
    'It continues as before; try again when it is idle'
  );
}
