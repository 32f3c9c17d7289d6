/** Decides whether a pass of a CronJobRun starts a run. */
import type { Job } from '../../api/kubernetes.ts';
import { canRunWait } from '../../api/v1/concurrency.ts';
import type { Facts } from '../cronjob/facts.ts';
import { isFinishedRun, isJobOf, type RequestedStart, type RunFacts } from './facts.ts';

/** Returns the run that a pass starts, if the CronJob lets it start. */
export function nextStart({ run, refusal, active, remaining }: RunFacts): RequestedStart | undefined {
  const isStopped = refusal !== undefined || isFinishedRun(run) || run.metadata.deletionTimestamp !== undefined;
  if (isStopped || run.spec.suspend || active >= (run.spec.backfill?.maxConcurrentRuns ?? 1)) return undefined;
  return remaining[0];
}

export type Permission = { readonly kind: 'Start'; readonly replaces: readonly Job[] } | { readonly kind: 'Wait' };

/**
 * Applies the concurrency policy of the CronJob, as for a manual run. A due run of the schedule starts first. With the policy
 * Replace, a run never replaces another run of its own CronJobRun.
 * @param facts The facts of the CronJob.
 */
export function askCronJob(facts: Facts, run: RunFacts['run']): Permission {
  if (run.spec.concurrencyPolicy === 'Ignore') return { kind: 'Start', replaces: [] };
  const { concurrency, due, runNow, cronJob, status } = facts;
  if (concurrency.kind === 'Wait') return { kind: 'Wait' };
  const canAffectOthers = canRunWait(cronJob.spec) || cronJob.spec.concurrencyPolicy === 'Replace';
  const isOtherFirst = due.slot !== undefined || (runNow.kind === 'Due' && !runNow.hasFailed);
  if (canAffectOthers && isOtherFirst && status.failedStart === undefined) return { kind: 'Wait' };
  if (concurrency.kind === 'Free') return { kind: 'Start', replaces: [] };
  const replacesOwn = concurrency.jobs.some((job) => isJobOf(run, job));
  return concurrency.areRecorded && !replacesOwn ? { kind: 'Start', replaces: concurrency.jobs } : { kind: 'Wait' };
}
