/** Computes the state of a CronJob for lists. If several states apply, a list shows the worst state. */
import { formatKey, getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { isPaused } from './suspension-state.ts';
import { listWaitingRuns } from './timeline.ts';

/** Sorted from the worst state to the best. */
export const CRON_JOB_STATES = [
  'Malformed',
  'Invalid',
  'Blocked',
  'Late',
  'Overdue',
  'Paused',
  'Failed',
  'Unobserved',
  'Degraded',
  'Waiting',
  'Suspended',
  'Running',
  'OK',
] as const;

/**
 * `Malformed`: the stored object does not match the CronJob schema. `Invalid`: the schedule is invalid, or it never fires and the
 * CronJob is not suspended. `Blocked`: the manager cannot create the Job of a run. `Late`: a scheduled time has passed, but the
 * status contains no run and no skip for this time. `Unobserved`: no manager has reconciled the CronJob. `Waiting`: a run waits for
 * the active run.
 */
export type CronJobState = (typeof CRON_JOB_STATES)[number];

/** Maps reasons of the condition Degraded to states. A reason outside of this map leads to the state `Degraded`. */
const STATE_BY_DEGRADED_REASON: ReadonlyMap<string, CronJobState> = new Map([
  ['UnparseableSchedule', 'Invalid'],
  ['UnknownTimeZone', 'Invalid'],
  ['NeverFires', 'Invalid'],
  ['FailedCreate', 'Blocked'],
  ['LastRunFailed', 'Failed'],
]);

/** A run is late only after more than one minute, because a busy manager or a new leader can need this minute to start the run. */
const MIN_LATENESS_MS = 60_000;

/** Returns the next scheduled time in the status if its run should have started more than {@link MIN_LATENESS_MS} ago. */
export function findLateSlot({ status }: Pick<CronJob, 'status'>, now: Date): Date | undefined {
  const startTime = parseTime(status?.nextStartTime ?? status?.nextScheduleTime);
  const isLate = startTime !== undefined && now.getTime() - startTime.getTime() > MIN_LATENESS_MS;
  return isLate ? (parseTime(status?.nextScheduleTime) ?? startTime) : undefined;
}

export function computeState(cronJob: StoredCronJob, now: Date): CronJobState {
  return cronJob.invalidValues === undefined ? computeStateIgnoringInvalidValues(cronJob, now) : 'Malformed';
}

/** Computes the state and ignores malformed values. */
export function computeStateIgnoringInvalidValues(cronJob: CronJob, now: Date): CronJobState {
  const { status } = cronJob;
  if (status?.conditions === undefined) return 'Unobserved';
  const { conditions } = status;
  const isConditionTrue = (type: string) => getCondition(conditions, type)?.status === 'True';
  const applicableStates: readonly (CronJobState | undefined)[] = [
    findDegradedState(cronJob),
    findLateSlot({ status }, now) ? 'Late' : undefined,
    isConditionTrue('Overdue') ? 'Overdue' : undefined,
    isPaused(cronJob) ? 'Paused' : undefined,
    isSuspendedAt(cronJob.spec, now) ? 'Suspended' : undefined,
    listWaitingRuns(cronJob).length > 0 ? 'Waiting' : undefined,
    (status.activeCount ?? 0) > 0 ? 'Running' : undefined,
    'OK',
  ];
  return CRON_JOB_STATES.find((state) => applicableStates.includes(state)) ?? 'OK';
}

function findDegradedState({ spec, status }: CronJob): CronJobState | undefined {
  const degradedCondition = getCondition(status?.conditions, 'Degraded');
  if (degradedCondition?.status !== 'True') return undefined;
  // Some users disable a CronJob with `suspend` and with a schedule that never fires.
  if (degradedCondition.reason === 'NeverFires' && spec.suspend) return undefined;
  return STATE_BY_DEGRADED_REASON.get(degradedCondition.reason) ?? 'Degraded';
}

/** Returns the state, followed by `Paused` or `Suspended` if a worse state would hide the pause or the suspension. */
export function formatState(cronJob: StoredCronJob, now: Date): string {
  const state = computeState(cronJob, now);
  if (state === 'Unobserved') return state;
  const additionalStates = [
    isPaused(cronJob) ? 'Paused' : undefined,
    isSuspendedAt(cronJob.spec, now) ? 'Suspended' : undefined,
  ];
  return [state, ...additionalStates.filter((each) => each !== undefined && each !== state)].join(',');
}

export function needsAttention(state: CronJobState): boolean {
  return CRON_JOB_STATES.indexOf(state) < CRON_JOB_STATES.indexOf('Suspended');
}

/** Sorts the worst state first, then by namespace and name. */
export function compareByState(now: Date): (left: CronJob, right: CronJob) => number {
  const getRank = (cronJob: CronJob) => CRON_JOB_STATES.indexOf(computeState(cronJob, now));
  return (left, right) => getRank(left) - getRank(right) || (formatKey(left) < formatKey(right) ? -1 : 1);
}
