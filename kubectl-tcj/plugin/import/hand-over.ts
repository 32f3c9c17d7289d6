/** The third step of an import: creates the new CronJob when the source is idle. */
import { sleep } from 'controller-runtime';
import type { Job } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { addAdvice } from '../error-message.ts';
import { isTemporary } from '../reconnecting-cluster-session.ts';
import { createTarget } from './create-target.ts';
import type { ImportContext } from './import-context.ts';
import { getPlanName, type ImportPlan } from './import-plan.ts';
import { computeIdleState, type IdleState, jobs, MIN_IDLE_MS, type SourceCronJob, sources } from './source-cron-job.ts';
import { computeSuspendedMs, MAX_SUSPENDED_MS, restoreSource, SUSPENDED_ADVICE } from './suspend-source.ts';

const POLL_INTERVAL_MS = 1_000;

/** Waits until each source is either imported or resumed. Returns the plans of the imported sources, with their targets. */
export async function handOverSources(
  plans: readonly ImportPlan[],
  context: ImportContext,
): Promise<readonly ImportPlan[]> {
  const { report, clock, signal } = context;
  const importedPlans: ImportPlan[] = [];
  let pendingPlans = plans;
  if (plans.length === 0) return [];
  // Each check lists all Jobs of the namespaces, so the first check is delayed until a source can be idle.
  await sleep(clock, Math.min(...plans.map(computeRemainingIdleMs)), signal);
  while (pendingPlans.length > 0) {
    const observations = await observeSources(pendingPlans, context);
    const results = await report.runAll(
      observations,
      ({ plan }) => getPlanName(plan),
      (each) => tryHandOver(each, context),
    );
    for (const { plan, target } of results) if (target) importedPlans.push({ ...plan, target });
    pendingPlans = results.filter(({ target }) => target === undefined).map(({ plan }) => plan);
    if (pendingPlans.length > 0) await sleep(clock, POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
  }
  return importedPlans;
}

/** Returns the time until the source can be idle; 0 if it was suspended before the import. */
function computeRemainingIdleMs(plan: ImportPlan): number {
  return plan.wasSuspended ? 0 : Math.max(0, MIN_IDLE_MS - computeSuspendedMs(plan.source, plan));
}

interface SourceObservation {
  readonly plan: ImportPlan;
  /** The current source, or `undefined` if the source was deleted. */
  readonly source: SourceCronJob | undefined;
  readonly jobs: readonly Job[];
}

/** Lists the sources and the Jobs of each namespace once. */
async function observeSources(
  plans: readonly ImportPlan[],
  context: ImportContext,
): Promise<readonly SourceObservation[]> {
  const namespaces = [...new Set(plans.map(({ source }) => source.metadata.namespace))];
  const listsByNamespace = new Map(
    await Promise.all(namespaces.map(async (each) => [each, await listSourcesAndJobs(each, context)] as const)),
  );
  return plans.map((plan) => {
    const { uid, namespace } = plan.source.metadata;
    const { found, ownJobs } = listsByNamespace.get(namespace) ?? { found: [], ownJobs: [] };
    return { plan, source: found.find(({ metadata }) => metadata.uid === uid), jobs: ownJobs };
  });
}

export async function listSourcesAndJobs(namespace: string, { client, signal }: ImportContext) {
  // The Jobs are listed last, so that the list includes a Job that the controller creates between the two requests.
  const found = await client.list(sources, { namespace, signal });
  return { found, ownJobs: await client.list(jobs, { namespace, signal }) };
}

interface HandOverResult {
  readonly plan: ImportPlan;
  /** The new CronJob, or `undefined` while the source is not idle. */
  readonly target?: CronJob;
}

/**
 * Returns no target after a temporary failure, so that the caller retries. Rejects if the source has been suspended for too long.
 */
async function tryHandOver(observation: SourceObservation, context: ImportContext): Promise<HandOverResult> {
  try {
    return await handOver(observation, context);
  } catch (error) {
    if (isTemporary(error) && !hasBeenSuspendedTooLong(observation)) return { plan: observation.plan };
    throw addAdvice(error, SUSPENDED_ADVICE, context.signal);
  }
}

async function handOver(observation: SourceObservation, context: ImportContext): Promise<HandOverResult> {
  const { plan, source, jobs: allJobs } = observation;
  if (source === undefined) throw new CommandError('the batch/v1 CronJob was deleted during the import');
  const idleState = plan.wasSuspended ? IDLE_STATE : computeIdleState(source, allJobs, plan.serverClock.now());
  if (idleState.kind === 'Resumed')
    throw new CommandError('another client resumed the batch/v1 CronJob, so it continues as before');
  if (idleState.kind === 'Idle') return { plan, target: await createTarget(plan, source, allJobs, context) };
  if (!hasBeenSuspendedTooLong(observation)) return { plan };
  await restoreSource(source, context);
  throw new CommandError(describeTimeout(idleState));
}

const IDLE_STATE: IdleState = { kind: 'Idle' };

function hasBeenSuspendedTooLong({ source, plan }: SourceObservation): boolean {
  return source === undefined || computeSuspendedMs(source, plan) >= MAX_SUSPENDED_MS;
}

function describeTimeout(idleState: IdleState): string {
  const runs = idleState.kind === 'Running' ? `: ${idleState.jobNames.join(', ')} is active` : '';
  return (
    `the batch/v1 CronJob did not become idle within ${MAX_SUSPENDED_MS / 60_000} minutes${runs}. ` +
    'The batch/v1 CronJob continues as before; try again when it is idle'
  );
}
