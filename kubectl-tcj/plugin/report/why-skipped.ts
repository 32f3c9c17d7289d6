/** Explains in words why scheduled times were not run. */

import type { SkipReason } from '../../../api/v1/reasons.ts';
import type { RecentSkip } from '../../../api/v1/recent-lines.ts';

interface Words {
  /** Follows "because". */
  readonly cause: string;
  readonly change?: string;
}

const WORDS: Readonly<Record<SkipReason, Words>> = {
  DeadlineExceeded: {
    cause: 'it could not start within spec.startingDeadlineSeconds',
    change: 'see whether the controller was running then; a larger startingDeadlineSeconds lets late runs start',
  },
  Superseded: {
    cause: 'a newer one was due before it could start, and only the newest starts',
    change: 'see whether the controller was running then',
  },
  TooManyMissedTimes: {
    cause: 'more than 100 scheduled times had been missed, and then none of them starts late',
    change: 'set startingDeadlineSeconds, so that old scheduled times do not count',
  },
  ConcurrencyPolicyForbid: {
    cause: 'an earlier run was still active (concurrencyPolicy Forbid)',
    change:
      'if its runs hang, set startTimeoutSeconds or activeDeadlineSeconds, which end them; else make them shorter than the time between two of them, or set concurrencyPolicy to Replace or Allow',
  },
  FailedCreate: {
    cause: 'its Job could not be created',
    change: 'see the condition Degraded and the events of the CronJob for the answer of the API server',
  },
  JobNameTaken: {
    cause: 'a Job of its name belongs to something else',
    change: 'delete that Job, or rename the CronJob',
  },
  Suspended: { cause: 'the CronJob was suspended' },
  Paused: {
    cause: 'the CronJob was paused after too many failed runs in a row',
    change: 'fix what makes the runs fail, then resume it',
  },
};

export function whySkipped({ reason }: RecentSkip): Words {
  return Object.hasOwn(WORDS, reason) ? WORDS[reason as SkipReason] : { cause: `of ${reason}` };
}
