/** Pausing after failed runs in a row: how many there are, whether the schedule stands still, and what ends that. */
import { formatTime } from '../../api/time.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { hasNewResume } from '../../api/v1/suspension.ts';
import { generationOf, type Run } from './job.ts';
import { isResultNew, type Known } from './recent-runs.ts';

export interface Pause {
  /**
   * Paused: no slot starts. Resuming: the first pass after the end of a pause, whose slots are void. None: neither; though this pass may
   * have resumed a count.
   */
  readonly kind: 'None' | 'Paused' | 'Resuming';
  /** Failed runs of slots in a row; absent without `pauseAfterFailures`. */
  readonly failures?: number;
  /** `status.paused` after the pass. */
  readonly paused?: NonNullable<CronJobStatus['paused']>;
  /** Earlier slots are void, while the kind is Resuming. */
  readonly resumedAt?: Date;
}

/** @param runs Those that exist, with one that the pass has adopted. */
export function pauseOf(known: Known, runs: readonly Run[], now: Date): Pause {
  const { cronJob, status } = known;
  const { paused } = status;
  const { pauseAfterFailures: limit } = cronJob.spec;
  if (limit === undefined) return paused ? { kind: 'Resuming', resumedAt: now } : { kind: 'None' };

  const results = runs.filter((run) => isResultNew(run, known)).toSorted(byFinish);
  const isAsked = hasNewResume(cronJob, status);
  const isResumed = isAsked || isSpecNew(known) || hasManualSuccess(results);
  const before = isResumed ? 0 : (status.consecutiveFailures ?? 0);
  // Who asks for a resume has seen these results.
  const failures = isAsked ? 0 : results.reduce((count, run) => countAfter(count, run, known), before);
  if (paused) return isResumed ? { kind: 'Resuming', resumedAt: now, failures } : { kind: 'Paused', failures, paused };
  if (failures < limit) return { kind: 'None', failures };
  return { kind: 'Paused', failures, paused: { reason: TOO_MANY_FAILURES, since: formatTime(now) } };
}

const TOO_MANY_FAILURES = 'TooManyFailures';

/**
 * Whether the spec has changed since the status was stored; false when either generation is absent or no number. One that was created again, with the
 * status of a backup, begins at generation 1 and has not changed.
 */
function isSpecNew({ cronJob: { metadata }, status }: Known): boolean {
  const [now, before]: readonly unknown[] = [metadata.generation, status.observedGeneration];
  return typeof now === 'number' && typeof before === 'number' && now > before;
}

function hasManualSuccess(results: readonly Run[]): boolean {
  return results.some(({ trigger, state }) => trigger === 'Manual' && state === 'Succeeded');
}

/** Any success counts, and a failure of a slot under the current spec. */
function countAfter(count: number, run: Run, { cronJob: { metadata } }: Known): number {
  if (run.state === 'Succeeded') return 0;
  return run.trigger === 'Schedule' && generationOf(run) === metadata.generation ? count + 1 : count;
}

function byFinish(left: Run, right: Run): number {
  return finishMs(left) - finishMs(right);
}

function finishMs({ finishedAt }: Run): number {
  return finishedAt?.getTime() ?? 0;
}
