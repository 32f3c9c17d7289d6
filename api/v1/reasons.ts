/** Why scheduled times were not run: the reasons in `status.recentSkips`, in metrics and in events. */

/** Why a slot was missed: its run should have started and did not. */
export const MISSED_REASONS = ['DeadlineExceeded', 'Superseded', 'TooManyMissedTimes'] as const;
/** Why a slot was skipped: something prevented its run. */
export const SKIPPED_REASONS = [
  'ConcurrencyPolicyForbid',
  'FailedCreate',
  'JobNameTaken',
  'Suspended',
  'Paused',
] as const;

export type SkipReason = (typeof MISSED_REASONS)[number] | (typeof SKIPPED_REASONS)[number];

/** Whether the reason is one of {@link MISSED_REASONS}. */
export function isMissed(reason: SkipReason): boolean {
  return MISSED_REASONS.some((each) => each === reason);
}
