/** What people are told, and only when something changes. Reasons are those of Kubernetes' own controller. */
import type { Job } from '../../api/kubernetes.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { INSTANTIATE_ANNOTATION } from '../../api/v1/groupversion.ts';
import { type Applied, deleteFailureMessage, failureMessage, type Pruned, type Started } from './applied.ts';
import { slotJobName } from './job.ts';
import { formatTime, type Observed, type Run, storedCondition } from './observed.ts';
import type { Plan } from './plan.ts';

/** Every reason that an event can have, and what it means. */
export const EVENT_REASONS = {
  SuccessfulCreate: { type: 'Normal', meaning: 'The Job of a run was created.' },
  SuccessfulDelete: { type: 'Normal', meaning: 'A Job was deleted: beyond a history limit, or replaced.' },
  SawCompletedJob: { type: 'Normal', meaning: 'An active run has ended; the message has its condition.' },
  MissingJob: { type: 'Normal', meaning: 'The Job of an active run is gone. Somebody deleted it.' },
  JobAlreadyActive: {
    type: 'Normal',
    meaning: 'A run is due and waits for active ones to end (concurrencyPolicy Forbid).',
  },
  FailedCreate: { type: 'Warning', meaning: 'The Job of a run could not be created; the message says why.' },
  FailedDelete: { type: 'Warning', meaning: 'A Job could not be deleted: beyond a history limit, or to be replaced.' },
  UnexpectedJob: { type: 'Warning', meaning: 'A Job names this CronJob as its controller, which has not made it.' },
  UnparseableSchedule: { type: 'Warning', meaning: 'spec.schedule cannot be read.' },
  UnknownTimeZone: { type: 'Warning', meaning: 'spec.timeZone is no time zone that is known.' },
  MissSchedule: { type: 'Warning', meaning: 'A time was missed: its starting deadline passed without a run.' },
  TooManyMissedTimes: { type: 'Warning', meaning: 'More than 100 times were missed; none of them is run late.' },
  NeverFires: { type: 'Warning', meaning: 'No run will ever start.' },
  ClockSkew: { type: 'Warning', meaning: 'A time in the status is ahead of the clock.' },
} as const satisfies Readonly<Record<string, { readonly type: 'Normal' | 'Warning'; readonly meaning: string }>>;

type EventReason = keyof typeof EVENT_REASONS;

export interface CronJobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

/** What the pass has done. It is so, whatever becomes of the status. */
export function eventsOfActions({ started, replaced }: Applied): readonly CronJobEvent[] {
  return [
    ...replaced.map(deletedJob),
    ...(started.kind === 'Created' ? [event('SuccessfulCreate', `Created job ${started.job.metadata.name}`)] : []),
  ];
}

/** What became of Jobs beyond the history limits. */
export function eventsOfPruning({ deleted, failure }: Pruned): readonly CronJobEvent[] {
  return [...deleted.map(deletedJob), ...(failure ? [event('FailedDelete', deleteFailureMessage(failure))] : [])];
}

/**
 * What the pass has seen for the first time. Told once the status that remembers it is stored, so that it is told once.
 * @param status The status that the pass stores.
 */
export function eventsOfTransitions(
  observed: Observed,
  plan: Plan,
  { started, status }: { readonly started: Started; readonly status: CronJobStatus },
): readonly CronJobEvent[] {
  return [
    ...endedRuns(observed, plan),
    ...unexpectedJobs(observed, plan),
    ...newFaults(observed, status),
    ...newFailure(observed, plan, started),
    ...newlyWaiting(observed, plan),
    ...missedSlots(plan),
  ];
}

/** Runs that the stored status has as active and that are not any more. */
function endedRuns({ cronJob }: Observed, { runs }: Plan): readonly CronJobEvent[] {
  return (cronJob.status?.active ?? []).flatMap(({ uid, name }) => {
    const run = runs.find(({ job }) => job.metadata.uid === uid);
    if (run === undefined) return [event('MissingJob', `Active job went missing: ${name}`)];
    if (run.state === 'Active') return [];
    const condition = run.state === 'Succeeded' ? 'Complete' : 'Failed';
    return [event('SawCompletedJob', `Saw completed job: ${run.job.metadata.name}, condition: ${condition}`)];
  });
}

/**
 * Active Jobs that the stored status does not know, and whose name shows that no pass of ours has made them. One that a
 * pass made before it crashed is no surprise.
 */
function unexpectedJobs({ cronJob }: Observed, { runs }: Plan): readonly CronJobEvent[] {
  const known = new Set(cronJob.status?.active?.map(({ uid }) => uid));
  const isOurs = ({ job, slot }: Run) =>
    slot === undefined
      ? job.metadata.annotations?.[INSTANTIATE_ANNOTATION] === 'manual'
      : job.metadata.name === slotJobName(cronJob, slot);
  return runs
    .filter((run) => run.state === 'Active' && !known.has(run.job.metadata.uid) && !isOurs(run))
    .map(({ job }) =>
      event('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job.metadata.name}`),
    );
}

/** Faults that are states: they are told when the Degraded condition begins to say so. */
const FAULTS = ['UnparseableSchedule', 'UnknownTimeZone', 'NeverFires', 'ClockSkew'] as const;

function newFaults({ cronJob }: Observed, status: CronJobStatus): readonly CronJobEvent[] {
  const before = storedCondition(cronJob.status, 'Degraded');
  const after = storedCondition(status, 'Degraded');
  const fault = FAULTS.find((reason) => reason === after?.reason);
  if (fault === undefined || after === undefined) return [];
  // Which time is ahead may change with each run; the clocks differ all the same.
  const isSame = before?.message === after.message || fault === 'ClockSkew';
  const isKnown = before?.reason === after.reason && isSame;
  return isKnown ? [] : [event(fault, after.message)];
}

function newFailure({ cronJob, failures }: Observed, { outcome }: Plan, started: Started): readonly CronJobEvent[] {
  const message = failureMessage(started);
  if (message === undefined || message === storedCondition(cronJob.status, 'Degraded')?.message) return [];
  // Degraded may show another fault.
  if ('job' in outcome && failures?.get(outcome.job.metadata.name) === message) return [];
  const isDelete = started.kind === 'Failed' && started.failure.kind === 'DeleteFailed';
  return [event(isDelete ? 'FailedDelete' : 'FailedCreate', message)];
}

/** The Progressing condition names the runs that wait. */
function newlyWaiting({ cronJob }: Observed, { waiting }: Plan): readonly CronJobEvent[] {
  const told = storedCondition(cronJob.status, 'Progressing')?.message ?? '';
  return waiting
    .filter((jobName) => !told.includes(jobName))
    .map((jobName) =>
      event(
        'JobAlreadyActive',
        `Not starting job ${jobName} because prior execution is running and concurrency policy is Forbid`,
      ),
    );
}

function missedSlots({ outcome, isResuming }: Plan): readonly CronJobEvent[] {
  switch (outcome.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'InvalidSchedule':
    case 'Suspended':
      return [];
    case 'TooManyMissed':
      return [
        event(
          'TooManyMissedTimes',
          `Cannot determine if job needs to be started. Too many missed start time (> ${MAX_MISSED_SLOTS}). ` +
            'Set or decrease .spec.startingDeadlineSeconds or check clock skew.',
        ),
      ];
    case 'NothingDue':
    case 'Blocked':
    case 'Run': {
      const { newest } = outcome.due.expired;
      if (newest === undefined || isResuming) return [];
      return [event('MissSchedule', `Missed scheduled time to start a job: ${formatTime(newest)}`)];
    }
  }
}

function deletedJob({ metadata }: Job): CronJobEvent {
  return event('SuccessfulDelete', `Deleted job ${metadata.name}`);
}

function event(reason: EventReason, message: string): CronJobEvent {
  return { type: EVENT_REASONS[reason].type, reason, message };
}
