/** Decides whether a reconcile of a CronJobRun starts a run. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { canRunWait, formatWaitRule } from '../../api/v1/concurrency.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION } from '../../api/v1/groupversion.ts';
import { describeTerminatingPods } from '../cronjob/decide.ts';
import type { Facts } from '../cronjob/facts.ts';
import { isFinishedRun, type RequestedStart, type RunFacts } from './facts.ts';

/** Returns the run that a reconcile starts, if the CronJob lets it start. */
export function findNextStart({ run, refusal, active, remaining }: RunFacts): RequestedStart | undefined {
  const isStopped = refusal !== undefined || isFinishedRun(run) || run.metadata.deletionTimestamp !== undefined;
  if (isStopped || run.spec.suspend || active >= (run.spec.backfill?.maxConcurrentRuns ?? 1)) return undefined;
  return remaining[0];
}

export type ConcurrencyDecision =
  | { readonly kind: 'Start'; readonly replaces: readonly Job[] }
  | {
      readonly kind: 'Wait';
      /** A phrase about the terminating Pods that make the run wait. */
      readonly cause?: string;
    };

/**
 * Applies the concurrency policy of the CronJob. A due run of the schedule starts before a run of a CronJobRun. With
 * the policy Replace, a CronJobRun replaces only runs of the schedule, because otherwise two CronJobRuns would end each
 * other's runs.
 * @param facts The facts of the CronJob.
 * @param unfinishedRuns The CronJobRuns of the CronJob that have not finished.
 */
export function applyConcurrencyPolicy(
  facts: Facts,
  run: CronJobRun,
  unfinishedRuns: readonly CronJobRun[],
): ConcurrencyDecision {
  if (run.spec.concurrencyPolicy === 'Ignore') return { kind: 'Start', replaces: [] };
  const { concurrency, due, runNow, cronJob, status } = facts;
  if (concurrency.kind === 'Wait') return { kind: 'Wait', ...describeCause(facts) };
  const canAffectOthers = canRunWait(cronJob.spec) || cronJob.spec.concurrencyPolicy === 'Replace';
  const isOtherFirst = due.slot !== undefined || (runNow.kind === 'Due' && !runNow.hasFailed);
  if (canAffectOthers && isOtherFirst && status.failedStart === undefined) return { kind: 'Wait' };
  if (concurrency.kind === 'Free')
    return unfinishedRuns.some((other) => startsBefore(other, run))
      ? { kind: 'Wait' }
      : { kind: 'Start', replaces: [] };
  const isRequested = ({ metadata: { annotations } }: Job) => annotations?.[REQUESTED_BY_ANNOTATION] !== undefined;
  const canReplace = concurrency.areRecorded && !concurrency.jobs.some(isRequested);
  return canReplace ? { kind: 'Start', replaces: concurrency.jobs } : { kind: 'Wait' };
}

function describeCause(facts: Facts): { readonly cause?: string } {
  const podsPhrase = describeTerminatingPods(facts);
  return podsPhrase ? { cause: `${podsPhrase} (${formatWaitRule(facts.cronJob.spec)})` } : {};
}

/** Whether `otherRun` waits and starts its next run before `run`. */
function startsBefore(otherRun: CronJobRun, run: CronJobRun): boolean {
  return isWaiting(otherRun) && compareStartOrder(otherRun, run) < 0;
}

/** Whether the next run of the CronJobRun waits until the CronJob lets it start. */
export function isWaiting({ metadata, spec, status }: CronJobRun): boolean {
  const isLastWaiting = getCondition(status?.conditions, 'Complete')?.reason === 'Waiting';
  return isLastWaiting && !spec.suspend && metadata.deletionTimestamp === undefined;
}

/** Sorts CronJobRuns by their turns: first the CronJobRun that has started fewer runs, and then the older CronJobRun. */
export function compareStartOrder(left: CronJobRun, right: CronJobRun): number {
  return countStartedRuns(left) - countStartedRuns(right) || compareAges(left.metadata, right.metadata);
}

function countStartedRuns({ status: { active = 0, succeeded = 0, failed = 0, skipped = 0 } = {} }: CronJobRun): number {
  return active + succeeded + failed + skipped;
}

function compareAges(left: CronJobRun['metadata'], right: CronJobRun['metadata']): number {
  const [leftKey, rightKey] = [left, right].map(({ creationTimestamp, uid }) => `${creationTimestamp} ${uid}`) as [
    string,
    string,
  ];
  return leftKey < rightKey ? -1 : Number(leftKey > rightKey);
}
