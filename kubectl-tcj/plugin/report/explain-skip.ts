/** Explains why the manager skipped a scheduled time. */

import type { SkipReason } from '../../../api/v1/reasons.ts';
import type { RecentSkip } from '../../../api/v1/recent-lines.ts';

interface SkipExplanation {
  /** A clause that follows "because". */
  readonly cause: string;
  readonly advice?: string;
}

const SKIP_EXPLANATIONS: Readonly<Record<SkipReason, SkipExplanation>> = {
  DeadlineExceeded: {
    cause: 'it could not start within spec.startingDeadlineSeconds',
    advice: 'check whether the manager was running then; a larger startingDeadlineSeconds lets late runs start',
  },
  Superseded: {
    cause: 'a newer run was due before it could start, and only the newest run starts',
    advice: 'check whether the manager was running then',
  },
  TooManyMissedTimes: {
    cause: 'more runs were missed than may start late (100, or catchUpLimit)',
    advice: 'set startingDeadlineSeconds, so that old scheduled times do not count, or raise catchUpLimit',
  },
  ConcurrencyPolicyForbid: {
    cause: 'an earlier run was still active (concurrencyPolicy Forbid)',
    advice:
      'if its runs hang, set startTimeoutSeconds or activeDeadlineSeconds to end them; otherwise, make the runs shorter than their interval, or set concurrencyPolicy to Replace or Allow',
  },
  ConcurrencyPolicySkip: {
    cause: 'an earlier run was still active, or its Pods were terminating (concurrencyPolicy Skip)',
    advice: 'if every run matters, make the runs shorter than their interval, or set concurrencyPolicy to Queue',
  },
  MaxConcurrentRuns: {
    cause:
      'the maximum number of runs was active, or had terminating Pods (maxConcurrentRuns, or concurrencyPolicy Queue)',
    advice: 'make the runs shorter, or raise maxConcurrentRuns',
  },
  QueueFull: {
    cause: 'more runs waited than queueLimit allows (concurrencyPolicy Queue)',
    advice: 'make the runs shorter than their interval, or raise maxConcurrentRuns or queueLimit',
  },
  FailedCreate: {
    cause: 'its Job could not be created',
    advice: 'check the condition Degraded and the events of the CronJob for the error of the API server',
  },
  JobNameTaken: {
    cause: 'a Job with its name has another owner',
    advice: 'delete that Job, or rename the CronJob',
  },
  Suspended: { cause: 'the CronJob was suspended' },
  Paused: {
    cause: 'the CronJob was paused after too many failed runs in a row',
    advice: 'fix the cause of the failed runs, then resume it',
  },
  Excluded: { cause: 'its time is excluded (spec.exclude)' },
};

export function explainSkip({ reason, note }: RecentSkip): SkipExplanation {
  if (reason === 'Excluded') return { cause: describeExclusion(note) };
  return Object.hasOwn(SKIP_EXPLANATIONS, reason) ? SKIP_EXPLANATIONS[reason as SkipReason] : { cause: `of ${reason}` };
}

/** @param note The reason of the entry in `spec.exclude`. */
export function describeExclusion(note: string | undefined): string {
  const { cause } = SKIP_EXPLANATIONS.Excluded;
  return note ? `${cause}: ${note}` : cause;
}
