/** What a slot waited for that could not start in time. */

import { slotJobName } from '../../api/v1/job-names.ts';
import { waitingKey } from '../../api/v1/waiting-jobs.ts';
import type { Facts } from './facts.ts';
import { failedStartKeysOf } from './reported.ts';

/** By what was reported of the slot; `undefined` when nothing was. */
export function waitedFor(
  slot: Date,
  { cronJob, stored: { reported = [] } }: Pick<Facts, 'cronJob' | 'stored'>,
): 'ConcurrencyPolicyForbid' | 'FailedCreate' | undefined {
  if (reported.length === 0) return undefined;
  const jobName = slotJobName(cronJob, slot);
  if (reported.includes(waitingKey(jobName))) return 'ConcurrencyPolicyForbid';
  return failedStartKeysOf([jobName], reported).length > 0 ? 'FailedCreate' : undefined;
}
