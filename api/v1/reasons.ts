/** The reasons of events, of conditions, and of scheduled times that were not run, each as one word. */

/** Every reason that an event can have, and what it means. */
export const EVENT_REASONS = {
  SuccessfulCreate: { type: 'Normal', meaning: 'The Job of a run was created.' },
  SuccessfulDelete: {
    type: 'Normal',
    meaning: 'A Job was deleted: it exceeded a history limit, or a new run replaced it.',
  },
  SawCompletedJob: { type: 'Normal', meaning: 'An active run finished; the message has its condition.' },
  MissingJob: { type: 'Normal', meaning: 'The Job of an active run is gone: another client deleted it.' },
  JobAlreadyActive: {
    type: 'Normal',
    meaning: 'A run is due, and waits for the active run to finish (concurrencyPolicy Forbid).',
  },
  FailedCreate: { type: 'Warning', meaning: 'The Job of a run could not be created; the message says why.' },
  FailedDelete: {
    type: 'Warning',
    meaning: 'The controller could not delete a Job that exceeds a history limit, or that a new run replaces.',
  },
  UnexpectedJob: {
    type: 'Warning',
    meaning: 'A Job has this CronJob as its controller, but the operator did not create it.',
  },
  StartTimeout: {
    type: 'Warning',
    meaning:
      'The controller failed a Job because no container started within spec.startTimeoutSeconds, or could not check that.',
  },
  UnparseableSchedule: { type: 'Warning', meaning: 'spec.schedule cannot be parsed.' },
  UnknownTimeZone: { type: 'Warning', meaning: 'spec.timeZone is not a known time zone.' },
  MissSchedule: { type: 'Warning', meaning: 'A run was missed: its starting deadline passed.' },
  TooManyMissedTimes: { type: 'Warning', meaning: 'More than 100 runs were missed; no missed run starts late.' },
  NeverFires: { type: 'Warning', meaning: 'No run will ever start.' },
  ClockSkew: { type: 'Warning', meaning: 'A time in the status is ahead of the clock.' },
  Paused: {
    type: 'Warning',
    meaning: 'Too many runs in a row failed; no run of the schedule starts (pauseAfterFailures).',
  },
  Resumed: { type: 'Normal', meaning: 'The pause is over: runs start at their scheduled times.' },
  Overdue: { type: 'Warning', meaning: 'No run has succeeded within expectSuccessWithinSeconds.' },
  NotOverdue: { type: 'Normal', meaning: 'The CronJob is not overdue any more.' },
} as const satisfies Readonly<Record<string, { readonly type: 'Normal' | 'Warning'; readonly meaning: string }>>;

export type EventReason = keyof typeof EVENT_REASONS;

const INVALID = {
  UnparseableSchedule: 'spec.schedule cannot be parsed; the message says what to change.',
  UnknownTimeZone: 'spec.timeZone is not a known time zone.',
} as const;

/**
 * Every reason that a condition can have, and what it means. A condition shows the first reason of its list that applies.
 * `make manifests` writes them into docs/cronjob-v1.md.
 */
export const CONDITION_REASONS = {
  Available: {
    ...INVALID,
    Suspended: 'spec.suspend is true, or spec.suspendUntil is ahead: only manual runs start.',
    Paused: 'Too many runs in a row failed: only manual runs start.',
    JobsActive: 'Runs start when they are due; some are active.',
    AllJobsCompleted: 'Runs start when they are due; no run is active.',
  },
  Progressing: {
    JobsActive: 'Some runs are active.',
    NoJobsActive: 'No run is active.',
  },
  Degraded: {
    ...INVALID,
    NeverFires:
      'No run will ever start: the schedule matches no time within five years, or the deadline is 0. Not with spec.suspend.',
    ClockSkew: 'A time in the status is ahead of the clock, and nothing starts before it.',
    FailedCreate: 'The Job of a run could not be created. Holds until a Job is created.',
    TooManyMissedTimes: 'More than 100 runs were missed, and no missed run starts late. Holds until a run starts.',
    LastRunFailed: 'A run failed. Holds until a run succeeds.',
    AsExpected: 'Nothing is wrong.',
  },
  /** Set only with spec.expectSuccessWithinSeconds. */
  Overdue: {
    Suspended: 'No success is expected while suspended.',
    NoRecentSuccess: 'No run has succeeded for spec.expectSuccessWithinSeconds.',
    AsExpected: 'The CronJob is not overdue.',
  },
} as const;

export type ConditionType = keyof typeof CONDITION_REASONS;

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
