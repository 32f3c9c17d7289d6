/** The last step of an import: deletes the source after the new CronJob has had a successful run. */
import { formatKey, ignoreNotFound, sleep } from 'controller-runtime';
import { cronJobs } from '../cron-jobs.ts';
import { formatError } from '../error-message.ts';
import { isTemporary } from '../reconnecting-cluster-session.ts';
import type { ImportContext } from './import-context.ts';
import { getPlanName, type ImportPlan } from './import-plan.ts';
import { filterOwnedJobs, isActiveJob, jobs, sources } from './source-cron-job.ts';

const POLL_INTERVAL_MS = 2_000;

/** @param waitMs The maximum time to wait for successful runs; 0 deletes only the sources that can be deleted immediately. */
export async function deleteSources(
  plans: readonly ImportPlan[],
  waitMs: number,
  importContext: ImportContext,
): Promise<void> {
  const { clock, signal, report } = importContext;
  const isWaiting = waitMs > 0;
  const context = isWaiting
    ? { ...importContext, client: importContext.createClientWithTimeout(waitMs) }
    : importContext;
  let remaining = await tryDelete(plans, context, isWaiting);
  for (const { plan, reason } of remaining) {
    report.notify(`${getPlanName(plan)}: ${describeReason(reason, isWaiting)}`);
  }
  if (!isWaiting) return;
  const startMs = clock.monotonicMs();
  while (remaining.length > 0) {
    if (clock.monotonicMs() - startMs >= waitMs) {
      for (const { plan, reason } of remaining) {
        report.reportFailure(getPlanName(plan), `timed out after ${waitMs / 1000} s; ${describeReason(reason, false)}`);
      }
      return;
    }
    await sleep(clock, POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
    const pendingPlans = remaining.map(({ plan }) => plan);
    remaining = await tryDelete(pendingPlans, context, isWaiting);
  }
}

/** The reason that a source cannot be deleted yet. */
type KeepSourceReason =
  | { readonly kind: 'NoSuccess' }
  | { readonly kind: 'Active'; readonly jobNames: readonly string[] }
  /** The API server did not respond to the delete request, so the source may still exist. */
  | { readonly kind: 'NoResponse'; readonly failure: unknown };

interface RemainingSource {
  readonly plan: ImportPlan;
  readonly reason: KeepSourceReason;
}

/** @param isWaiting Whether the command still waits for the deletion. */
function describeReason(reason: KeepSourceReason, isWaiting: boolean): string {
  switch (reason.kind) {
    case 'NoSuccess':
      return isWaiting
        ? 'waiting for a successful run of the new CronJob, to delete the suspended batch/v1 CronJob'
        : 'the batch/v1 CronJob stays, suspended; to delete it, run the same command again after a successful run';
    case 'Active': {
      const names = reason.jobNames.join(', ');
      return isWaiting
        ? `waiting for the last runs of the batch/v1 CronJob, to delete it: ${names}`
        : `the batch/v1 CronJob stays, because it has active runs; to delete it, run the same command again after they end: ${names}`;
    }
    case 'NoResponse': {
      const message = formatError(reason.failure);
      return isWaiting
        ? `retrying to delete the batch/v1 CronJob: ${message}`
        : `${message}; to delete the batch/v1 CronJob, run the same command again`;
    }
  }
}

/** @param shouldRetry Whether the caller retries after a temporary failure. */
async function tryDelete(
  plans: readonly ImportPlan[],
  context: ImportContext,
  shouldRetry: boolean,
): Promise<readonly RemainingSource[]> {
  const results = await context.report.runAll(plans, getPlanName, async (plan) => ({
    plan,
    reason: await deleteSource(plan, context).catch((failure: unknown): KeepSourceReason => {
      if (shouldRetry && !context.signal.aborted && isTemporary(failure)) return { kind: 'NoResponse', failure };
      throw failure;
    }),
  }));
  return results.flatMap(({ plan, reason }) => (reason === undefined ? [] : [{ plan, reason }]));
}

/** @returns the reason that the source was not deleted; `undefined` if it was deleted. */
async function deleteSource(
  { source }: ImportPlan,
  { client, signal, report }: ImportContext,
): Promise<KeepSourceReason | undefined> {
  const { namespace, uid } = source.metadata;
  const target = await client.get(cronJobs, source.metadata, { signal });
  if (target?.status?.lastSuccessfulTime === undefined) return { kind: 'NoSuccess' };
  const activeJobs = filterOwnedJobs(source, await client.list(jobs, { namespace, signal })).filter(isActiveJob);
  if (activeJobs.length > 0) return { kind: 'Active', jobNames: activeJobs.map(formatKey) };
  await ignoreNotFound(
    client.delete(sources, source.metadata, { preconditions: { uid }, propagationPolicy: 'Background', signal }),
  );
  report.reportChange(formatKey(source), 'succeeded; the batch/v1 CronJob and its Jobs are deleted');
  return undefined;
}
