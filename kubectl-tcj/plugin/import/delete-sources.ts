/** The last step: deletes the source after a run of the new CronJob has succeeded. */
import { formatKey, ignoreNotFound, sleep } from 'controller-runtime';
import { cronJobs } from '../cron-jobs.ts';
import { formatError } from '../error-message.ts';
import { isTemporary } from '../reconnecting-session.ts';
import type { ImportContext } from './context.ts';
import { getPlanName, type ImportPlan } from './plan.ts';
import { filterOwnedJobs, isActive, jobs, sources } from './source.ts';

const POLL_INTERVAL_MS = 2_000;

/** @param waitMs Maximum wait until the last source is deleted; 0 deletes only sources that can be deleted now. */
export async function deleteSources(
  plans: readonly ImportPlan[],
  waitMs: number,
  importing: ImportContext,
): Promise<void> {
  const { clock, signal, report } = importing;
  const isWaiting = waitMs > 0;
  const context = isWaiting ? { ...importing, client: importing.clientFor(waitMs) } : importing;
  let remaining = await tryDelete(plans, context, isWaiting);
  for (const { plan, reason } of remaining) {
    report.notify(`${getPlanName(plan)}: ${describeReason(reason, isWaiting)}`);
  }
  if (!isWaiting) return;
  const fromMs = clock.monotonicMs();
  while (remaining.length > 0) {
    if (clock.monotonicMs() - fromMs >= waitMs) {
      for (const { plan, reason } of remaining) {
        report.failed(getPlanName(plan), `timed out after ${waitMs / 1000} s; ${describeReason(reason, false)}`);
      }
      return;
    }
    await sleep(clock, POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
    const pendingPlans = remaining.map(({ plan }) => plan);
    remaining = await tryDelete(pendingPlans, context, isWaiting);
  }
}

/** Why a source cannot be deleted yet. */
type KeepReason =
  | { readonly kind: 'NoSuccess' }
  | { readonly kind: 'Active'; readonly jobNames: readonly string[] }
  /** It is also unknown whether the source was deleted. */
  | { readonly kind: 'Unanswered'; readonly failure: unknown };

interface RemainingSource {
  readonly plan: ImportPlan;
  readonly reason: KeepReason;
}

/** @param isWaiting Whether the command continues to wait. */
function describeReason(reason: KeepReason, isWaiting: boolean): string {
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
    case 'Unanswered': {
      const message = formatError(reason.failure);
      return isWaiting
        ? `retrying to delete the batch/v1 CronJob: ${message}`
        : `${message}; to delete the batch/v1 CronJob, run the same command again`;
    }
  }
}

/** @param isPatient Whether a source without a response stays for the next attempt instead of failing. */
async function tryDelete(
  plans: readonly ImportPlan[],
  context: ImportContext,
  isPatient: boolean,
): Promise<readonly RemainingSource[]> {
  const results = await context.report.each(plans, getPlanName, async (plan) => ({
    plan,
    reason: await deleteSource(plan, context).catch((failure: unknown): KeepReason => {
      if (isPatient && !context.signal.aborted && isTemporary(failure)) return { kind: 'Unanswered', failure };
      throw failure;
    }),
  }));
  return results.flatMap(({ plan, reason }) => (reason === undefined ? [] : [{ plan, reason }]));
}

/** @returns why the source stays for now; `undefined` when it is gone. */
async function deleteSource(
  { source }: ImportPlan,
  { client, signal, report }: ImportContext,
): Promise<KeepReason | undefined> {
  const { namespace, uid } = source.metadata;
  const target = await client.get(cronJobs, source.metadata, { signal });
  if (target?.status?.lastSuccessfulTime === undefined) return { kind: 'NoSuccess' };
  const active = filterOwnedJobs(source, await client.list(jobs, { namespace, signal })).filter(isActive);
  if (active.length > 0) return { kind: 'Active', jobNames: active.map(formatKey) };
  await ignoreNotFound(
    client.delete(sources, source.metadata, { preconditions: { uid }, propagationPolicy: 'Background', signal }),
  );
  report.done(formatKey(source), 'succeeded; the batch/v1 CronJob and its Jobs are deleted');
  return undefined;
}
