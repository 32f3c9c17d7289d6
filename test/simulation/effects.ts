/** The effects that the fixed years must contain. */

/** Effects of the faults. A simulation in which one of these never happens does not test it. */
export const EFFECTS = [
  'create over quota',
  'delete denied',
  'delete hung',
  'status conflict',
  'status write failed',
  'read failed',
  'status pruned',
  'call hung',
  'status postponed',
  'history left to a later pass',
  'null times',
  'connection cut',
  'pass failed',
  'status write of a CronJob that is gone',
  'slot while deletes are denied',
  'slot while deletes hang',
  'slot while status writes fail',
  'slot while another namespace hangs',
  'patch denied',
  'start ended',
  'patch of a Job that has changed',
  'template deadline exceeded',
  'start timed out',
  'overdue',
  'paused',
  'resumed by resume',
  'resumed by edit',
  'resumed by manual run',
  'run: Running',
  'run: Succeeded',
  'run: Failed',
  'run: Replaced',
  'run: Unknown',
  'skipped: Suspended',
  'skipped: Paused',
  'skipped: DeadlineExceeded',
  'skipped: Superseded',
  'skipped: ConcurrencyPolicyForbid',
  'skipped: FailedCreate',
  'skipped: JobNameTaken',
  'clock ahead',
  'clock behind',
  'machine slept',
  'clock skew shown',
  'handed over',
  'two managers at once',
  'skipped: TooManyMissedTimes',
  'skipped: Excluded',
  'skipped: ConcurrencyPolicySkip',
  'skipped: MaxConcurrentRuns',
  'caught up',
  'ended',
  'slot of an additional schedule',
  'external run listed',
] as const;

/** Effects in years with CronJobRuns. */
type RequestEffect =
  | 'request complete'
  | 'request failed'
  | 'request expired'
  | 'request refused: TooOld'
  | 'request refused: CronJobNotFound'
  | 'request refused: CronJobReplaced'
  | 'request refused: OverridesNotAllowed'
  | 'request refused: ScheduledTimeInFuture'
  | 'request refused: TooManySlots'
  | 'request refused: NoSlots'
  | 'requested run: Unknown'
  | 'requested run skipped'
  | 'requested run beside another run'
  | 'request refused: InvalidSchedule'
  | 'request refused: CronJobDeleted';

export type Effect = (typeof EFFECTS)[number] | RequestEffect;
