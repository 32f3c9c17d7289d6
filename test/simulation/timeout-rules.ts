/** Which Jobs may be ended because they have not started, and which must be ended. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { findBrokenRules, isActive, isBeingDeleted, parseInstant } from './facts.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

/** A Job that the manager has patched. */
export interface TimedOutStart {
  readonly old: Job;
  readonly job: Job;
  readonly observed: ObservedReconcile;
  /** The CronJob as the reconcile saw it. */
  readonly view: CronJob;
  /** The clock read of the reconcile. */
  readonly now: Date;
}

export function checkStartTimeout({ old, job, observed, view, now }: TimedOutStart): readonly string[] {
  const { startTimeoutSeconds: seconds } = view.spec;
  if (seconds === undefined) return ['no Job is ended without startTimeoutSeconds'];
  const endMs = (parseInstant(old.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY) + seconds * 1000;
  const deadline = Math.min(seconds, old.spec.activeDeadlineSeconds ?? seconds);
  return findBrokenRules({
    'no started Job is ended': observed.podChecks.get(job.metadata.uid) === false,
    'no Job is ended before its time': endMs <= now.getTime(),
    'no Job is ended twice': old.metadata.annotations?.[START_TIMEOUT_ANNOTATION] === undefined,
    'no finished Job is ended': isActive(old) && !isBeingDeleted(old) && old.spec.suspend !== true,
    'a Job is ended by activeDeadlineSeconds': job.spec.activeDeadlineSeconds === deadline,
    'an ended Job has the start-timeout annotation': job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined,
  });
}

/** Whether a Job waits, and should have been ended by now. */
export function isStartOverdue(
  job: Job,
  { spec }: CronJob,
  { now, hasStarted }: { now: Date; hasStarted: boolean },
): boolean {
  const start = parseInstant(job.status?.startTime);
  const { startTimeoutSeconds: seconds } = spec;
  if (start === undefined || seconds === undefined || hasStarted || !isActive(job) || isBeingDeleted(job)) return false;
  const isEnding = job.status?.conditions?.some(({ status }) => status === 'True') === true;
  const isEnded = job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined;
  return !isEnding && !isEnded && start.getTime() + seconds * 1000 < now.getTime() - 10_000;
}
