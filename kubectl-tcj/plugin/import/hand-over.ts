/** The third step: creates the replacement once the runs of a source have stopped. */
import { sleep } from 'controller-runtime';
import type { Job } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { isTemporary } from '../reconnecting-session.ts';
import type { ImportContext } from './context.ts';
import { createTarget } from './create-target.ts';
import { getPlanName, type ImportPlan } from './plan.ts';
import { computeIdleState, IDLE_MS, type IdleState, jobs, type SourceCronJob, sources } from './source.ts';
import { computeSuspendedMs, MAX_SUSPENDED_MS, restoreSource } from './suspend.ts';

/** Interval between two checks of all sources that have not stopped yet. */
const POLL_INTERVAL_MS = 1_000;

/** Resolves when each source was handed over or is as before. A source that was handed over has a target. */
export async function handOverAll(
  plans: readonly ImportPlan[],
  context: ImportContext,
): Promise<readonly ImportPlan[]> {
  const { report, clock, signal } = context;
  const done: ImportPlan[] = [];
  let pending = plans;
  if (plans.length === 0) return [];
  // The wait comes first, because each check reads all Jobs of the namespaces.
  await sleep(clock, Math.min(...plans.map(computeRemainingIdleMs)), signal);
  while (pending.length > 0) {
    const observations = await observeAll(pending, context);
    const results = await report.each(
      observations,
      ({ plan }) => getPlanName(plan),
      (each) => tryHandOver(each, context),
    );
    for (const { plan, target } of results) if (target) done.push({ ...plan, target });
    pending = results.filter(({ target }) => target === undefined).map(({ plan }) => plan);
    if (pending.length > 0) await sleep(clock, POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
  }
  return done;
}

/** Minimum wait until the source can count as stopped; 0 when it was suspended before. */
function computeRemainingIdleMs(plan: ImportPlan): number {
  return plan.wasSuspended ? 0 : Math.max(0, IDLE_MS - computeSuspendedMs(plan.source, plan));
}

interface SourceObservation {
  readonly plan: ImportPlan;
  /** `undefined` when the source is gone. */
  readonly source: SourceCronJob | undefined;
  readonly jobs: readonly Job[];
}

/** Makes two list requests per namespace, however many CronJobs the namespace has. */
async function observeAll(plans: readonly ImportPlan[], context: ImportContext): Promise<readonly SourceObservation[]> {
  const namespaces = [...new Set(plans.map(({ source }) => source.metadata.namespace))];
  const byNamespace = new Map(
    await Promise.all(namespaces.map(async (each) => [each, await listSourcesAndJobs(each, context)] as const)),
  );
  return plans.map((plan) => {
    const { uid, namespace } = plan.source.metadata;
    const { found, ownJobs } = byNamespace.get(namespace) ?? { found: [], ownJobs: [] };
    return { plan, source: found.find(({ metadata }) => metadata.uid === uid), jobs: ownJobs };
  });
}

export async function listSourcesAndJobs(namespace: string, { client, signal }: ImportContext) {
  // In this order, so that the second list includes a Job that starts between the two.
  const found = await client.list(sources, { namespace, signal });
  return { found, ownJobs: await client.list(jobs, { namespace, signal }) };
}

interface HandOverResult {
  readonly plan: ImportPlan;
  /** Absent while the source still starts runs. */
  readonly target?: CronJob;
}

/** Retries temporary failures for as long as the source may be suspended. */
async function tryHandOver(observation: SourceObservation, context: ImportContext): Promise<HandOverResult> {
  try {
    return await handOver(observation, context);
  } catch (error) {
    if (!isTemporary(error) || isSuspendedTooLong(observation)) throw error;
    return { plan: observation.plan };
  }
}

async function handOver(observation: SourceObservation, context: ImportContext): Promise<HandOverResult> {
  const { plan, source, jobs: all } = observation;
  if (source === undefined) throw new CommandError('the batch/v1 CronJob was deleted during the import');
  const idleState = plan.wasSuspended ? IDLE : computeIdleState(source, all, plan.serverClock.now());
  if (idleState.kind === 'Resumed')
    throw new CommandError('another client resumed the batch/v1 CronJob, so it continues as before');
  if (idleState.kind === 'Idle') return { plan, target: await createTarget(plan, source, all, context) };
  if (!isSuspendedTooLong(observation)) return { plan };
  await restoreSource(source, context);
  throw new CommandError(describeTimeout(idleState));
}

const IDLE: IdleState = { kind: 'Idle' };

function isSuspendedTooLong({ source, plan }: SourceObservation): boolean {
  return source === undefined || computeSuspendedMs(source, plan) >= MAX_SUSPENDED_MS;
}

function describeTimeout(idleState: IdleState): string {
  const runs = idleState.kind === 'Running' ? `: ${idleState.jobNames.join(', ')} is active` : '';
  return (
    `the batch/v1 CronJob did not become idle within ${MAX_SUSPENDED_MS / 60_000} minutes${runs}. ` +
    'It continues as before; try again when it is idle'
  );
}
