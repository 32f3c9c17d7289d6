/** Which Jobs may be ended because they have not started, and which must be ended. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { broken, instantOf, isActive, isGoing } from './facts.ts';
import type { Pass } from './pass.ts';

/** A Job that the manager has patched. */
export interface EndedStart {
  readonly old: Job;
  readonly job: Job;
  readonly pass: Pass;
  /** The CronJob as the pass saw it. */
  readonly view: CronJob;
  /** The clock read of the pass. */
  readonly now: Date;
}

export function brokenByEnd({ old, job, pass, view, now }: EndedStart): readonly string[] {
  const { startTimeoutSeconds: seconds } = view.spec;
  if (seconds === undefined) return ['no Job is ended without a timeout'];
  const endMs = (instantOf(old.status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY) + seconds * 1000;
  const deadline = Math.min(seconds, old.spec.activeDeadlineSeconds ?? seconds);
  return broken({
    'no Job is ended that has started': pass.podLooks.get(job.metadata.uid) === false,
    'no Job is ended before its time': endMs <= now.getTime(),
    'no Job is ended twice': old.metadata.annotations?.[START_TIMEOUT_ANNOTATION] === undefined,
    'no Job is ended that is over': isActive(old) && !isGoing(old) && old.spec.suspend !== true,
    'a Job is ended by its deadline': job.spec.activeDeadlineSeconds === deadline,
    'a Job says why it is ended': job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined,
  });
}

/** Whether a Job waits, and should have been ended by now. */
export function isOverlong(
  job: Job,
  { spec }: CronJob,
  { now, hasStarted }: { now: Date; hasStarted: boolean },
): boolean {
  const start = instantOf(job.status?.startTime);
  const { startTimeoutSeconds: seconds } = spec;
  if (start === undefined || seconds === undefined || hasStarted || !isActive(job) || isGoing(job)) return false;
  const isEnding = job.status?.conditions?.some(({ status }) => status === 'True') === true;
  const isEnded = job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined;
  return !isEnding && !isEnded && start.getTime() + seconds * 1000 < now.getTime() - 10_000;
}
