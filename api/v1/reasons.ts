/** The reasons of events with their types and meanings. */
export const EVENT_REASONS = {
  SuccessfulCreate: { type: 'Normal', meaning: 'The Job of a run was created.' },
  SuccessfulDelete: {
    type: 'Normal',
    meaning: 'A Job was deleted because of a history limit or because a new run replaced it.',
  },
  SawCompletedJob: {
    type: 'Normal',
    meaning: 'An active run finished. The message contains the condition of its Job.',
  },
  MissingJob: { type: 'Normal', meaning: 'Another client deleted the Job of an active run.' },
  JobAlreadyActive: {
    type: 'Normal',
    meaning: 'A due run waits until an active run finishes (concurrencyPolicy Forbid or Queue, or maxConcurrentRuns).',
  },
  FailedCreate: { type: 'Warning', meaning: 'The Job of a run could not be created. The message contains the cause.' },
  FailedDelete: {
    type: 'Warning',
    meaning: 'The controller could not delete a Job that exceeds a history limit, or that a new run replaces.',
  },
  UnexpectedJob: {
    type: 'Warning',
    meaning: 'A Job has this CronJob as its controller owner, but another client created the Job.',
  },
  StartTimeout: {
    type: 'Warning',
    meaning:
      'No container of a Job started within spec.startTimeoutSeconds, so the controller ended the Job; or the controller could not check the start.',
  },
  UnparseableSchedule: { type: 'Warning', meaning: 'spec.schedule cannot be parsed.' },
  UnknownTimeZone: { type: 'Warning', meaning: 'spec.timeZone is not a known time zone.' },
  MissSchedule: { type: 'Warning', meaning: 'A run was missed because its starting deadline passed.' },
  QueueFull: {
    type: 'Warning',
    meaning: 'The oldest waiting run was skipped, because more runs waited than queueLimit allows.',
  },
  TooManyMissedTimes: { type: 'Warning', meaning: 'More than 100 runs were missed, and none of them starts.' },
  NeverFires: { type: 'Warning', meaning: 'The schedule or the starting deadline prevents every run.' },
  ClockSkew: { type: 'Warning', meaning: 'A time in the status is ahead of the clock.' },
  Paused: {
    type: 'Warning',
    meaning: 'Too many consecutive runs failed. No scheduled run starts (pauseAfterFailures).',
  },
  Resumed: { type: 'Normal', meaning: 'The pause ended. Runs start at their scheduled times.' },
  Overdue: { type: 'Warning', meaning: 'No run has succeeded within expectSuccessWithinSeconds.' },
  NotOverdue: { type: 'Normal', meaning: 'The CronJob is not overdue any more.' },
} as const satisfies Readonly<Record<string, { readonly type: 'Normal' | 'Warning'; readonly meaning: string }>>;

export type EventReason = keyof typeof EVENT_REASONS;

const INVALID_SCHEDULE_REASONS = {
  UnparseableSchedule: 'spec.schedule cannot be parsed. The message contains the fix.',
  UnknownTimeZone: 'spec.timeZone is not a known time zone.',
} as const;

/**
 * The reasons of conditions with their meanings. A condition has the first reason in its list that applies. `make manifests` copies
 * the reasons into docs/cronjob-v1.md.
 */
export const CONDITION_REASONS = {
  Available: {
    ...INVALID_SCHEDULE_REASONS,
    Ended: 'Only manual runs start, because spec.endTime has passed.',
    Suspended: 'Only manual runs start, because spec.suspend is true or spec.suspendUntil is in the future.',
    Paused: 'Only manual runs start, because too many consecutive runs failed.',
    JobsActive: 'Runs start when they are due. At least one run is active.',
    AllJobsCompleted: 'Runs start when they are due. No run is active.',
  },
  Progressing: {
    JobsActive: 'Some runs are active.',
    NoJobsActive: 'No run is active.',
  },
  Degraded: {
    ...INVALID_SCHEDULE_REASONS,
    NeverFires:
      'The schedule matches no time within five years, exclude covers each time, no time is before endTime, or the ' +
      'starting deadline is 0. Not set while spec.suspend is true.',
    ClockSkew: 'A time in the status is ahead of the clock. No run starts before this time.',
    FailedCreate: 'The Job of a run could not be created. The reason remains until a Job is created.',
    TooManyMissedTimes:
      'More than 100 runs were missed, and none of them starts. The reason remains until a run starts.',
    LastRunFailed: 'A run failed. The reason remains until a run succeeds.',
    AsExpected: 'The CronJob has no problem.',
  },
  /** The condition Overdue exists only with spec.expectSuccessWithinSeconds. */
  Overdue: {
    Suspended: 'A suspended CronJob cannot be overdue.',
    NoRecentSuccess: 'No run has succeeded within spec.expectSuccessWithinSeconds.',
    AsExpected: 'The CronJob is not overdue.',
  },
} as const;

export type ConditionType = keyof typeof CONDITION_REASONS;

/** The reasons that a slot was missed. */
export const MISSED_REASONS = ['DeadlineExceeded', 'Superseded', 'TooManyMissedTimes'] as const;
/** The reasons that a slot was skipped. */
export const SKIPPED_REASONS = [
  'ConcurrencyPolicyForbid',
  'ConcurrencyPolicySkip',
  'MaxConcurrentRuns',
  'QueueFull',
  'FailedCreate',
  'JobNameTaken',
  'Suspended',
  'Paused',
  'Excluded',
] as const;

export type SkipReason = (typeof MISSED_REASONS)[number] | (typeof SKIPPED_REASONS)[number];

export function isMissedReason(reason: SkipReason): boolean {
  return MISSED_REASONS.some((each) => each === reason);
}
