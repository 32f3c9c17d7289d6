/** The last step: deletes the source after a run of the new CronJob has succeeded. */
import { formatKey, ignoreNotFound, sleep } from 'controller-runtime';
import { cronJobs } from '../cron-jobs.ts';
import { messageOf } from '../message-of.ts';
import { isPassing } from '../reconnecting.ts';
import type { Context } from './context.ts';
import { nameOfPlan, type Plan } from './plan.ts';
import { isActive, jobs, jobsOf, sources } from './source.ts';

const LOOK_MS = 2_000;

/** @param waitMs Maximum wait until the last source is deleted; 0 deletes only sources that can be deleted now. */
export async function deleteSources(plans: readonly Plan[], waitMs: number, importing: Context): Promise<void> {
  const { clock, signal, report } = importing;
  const isWaiting = waitMs > 0;
  const context = isWaiting ? { ...importing, client: importing.clientFor(waitMs) } : importing;
  let left = await deleteThose(plans, context, isWaiting);
  for (const { plan, reason } of left) {
    report.waits(`${nameOfPlan(plan)}: ${leftText(reason, isWaiting)}`);
  }
  if (!isWaiting) return;
  const fromMs = clock.monotonicMs();
  while (left.length > 0) {
    if (clock.monotonicMs() - fromMs >= waitMs) {
      for (const { plan, reason } of left) {
        report.failed(nameOfPlan(plan), `timed out after ${waitMs / 1000} s; ${leftText(reason, false)}`);
      }
      return;
    }
    await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
    const kept = left.map(({ plan }) => plan);
    left = await deleteThose(kept, context, isWaiting);
  }
}

/** Why a source cannot be deleted yet. */
type Reason =
  | { readonly kind: 'NoSuccess' }
  | { readonly kind: 'Active'; readonly jobNames: readonly string[] }
  /** It is also unknown whether the source was deleted. */
  | { readonly kind: 'Unanswered'; readonly failure: unknown };

interface Left {
  readonly plan: Plan;
  readonly reason: Reason;
}

/** @param isWaiting Whether the command continues to wait. */
function leftText(reason: Reason, isWaiting: boolean): string {
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
      const message = messageOf(reason.failure);
      return isWaiting
        ? `retrying to delete the batch/v1 CronJob: ${message}`
        : `${message}; to delete the batch/v1 CronJob, run the same command again`;
    }
  }
}

/** @param isPatient Whether a source without a response stays for the next attempt instead of failing. */
async function deleteThose(plans: readonly Plan[], context: Context, isPatient: boolean): Promise<readonly Left[]> {
  const tried = await context.report.each(plans, nameOfPlan, async (plan) => ({
    plan,
    reason: await deleteSource(plan, context).catch((failure: unknown): Reason => {
      if (isPatient && !context.signal.aborted && isPassing(failure)) return { kind: 'Unanswered', failure };
      throw failure;
    }),
  }));
  return tried.flatMap(({ plan, reason }) => (reason === undefined ? [] : [{ plan, reason }]));
}

/** @returns why the source stays for now; `undefined` when it is gone. */
async function deleteSource({ source }: Plan, { client, signal, report }: Context): Promise<Reason | undefined> {
  const { namespace, uid } = source.metadata;
  const target = await client.get(cronJobs, source.metadata, { signal });
  if (target?.status?.lastSuccessfulTime === undefined) return { kind: 'NoSuccess' };
  const active = jobsOf(source, await client.list(jobs, { namespace, signal })).filter(isActive);
  if (active.length > 0) return { kind: 'Active', jobNames: active.map(formatKey) };
  await ignoreNotFound(
    client.delete(sources, source.metadata, { preconditions: { uid }, propagationPolicy: 'Background', signal }),
  );
  report.done(formatKey(source), 'succeeded; the batch/v1 CronJob and its Jobs are deleted');
  return undefined;
}
