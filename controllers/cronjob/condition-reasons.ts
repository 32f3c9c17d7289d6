/** The vocabulary of the conditions. docs/cronjob-v1.md is made from it. */

const INVALID = {
  UnparseableSchedule: 'spec.schedule cannot be read; the message says what to change.',
  UnknownTimeZone: 'spec.timeZone is no time zone that is known.',
} as const;

/** Every reason that a condition can have, and what it means. In each list the first that holds is shown. */
export const CONDITION_REASONS = {
  Available: {
    ...INVALID,
    Suspended: 'spec.suspend is true: nothing is started but what is asked for by hand.',
    JobsActive: 'Runs are started when they are due; some are active.',
    AllJobsCompleted: 'Runs are started when they are due; none is active.',
  },
  Progressing: {
    JobsActive: 'Some runs are active.',
    NoJobsActive: 'No run is active.',
  },
  Degraded: {
    ...INVALID,
    NeverFires: 'No run will ever start: the schedule has no time in the coming years, or the deadline is 0.',
    ClockSkew: 'A time in the status is ahead of the clock, and nothing starts before it.',
    FailedCreate: 'The Job of a run could not be created. Holds until one is.',
    TooManyMissedTimes: 'So many times were missed that none is run late. Holds until a run starts.',
    LastRunFailed: 'A run failed. Holds until one succeeds.',
    AsExpected: 'Nothing is wrong.',
  },
} as const;

export type ConditionType = keyof typeof CONDITION_REASONS;

/** What a condition says, before it becomes one. */
export type Finding<Type extends ConditionType> = {
  readonly isTrue: boolean;
  readonly reason: keyof (typeof CONDITION_REASONS)[Type];
  readonly message: string;
};
