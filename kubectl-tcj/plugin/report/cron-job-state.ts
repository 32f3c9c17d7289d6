/** The state of a CronJob, as the one word that a list shows: the worst state that applies. */
import { formatKey, getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { isPaused } from './suspension-state.ts';
import { listWaitingRuns } from './timeline.ts';

/** From the worst to the best: the order of a list. */
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
 * `Malformed`: the stored object does not fit its type. `Invalid`: the schedule is invalid, or never fires and is not suspended.
 * `Blocked`: the Job of a run cannot be created. `Late`: a scheduled time has come, and no run or skip of it is recorded.
 * `Unobserved`: no status, so no controller has reconciled it. `Waiting`: a run waits for the active run.
 */
export type CronJobState = (typeof CRON_JOB_STATES)[number];

/** Reasons of the condition Degraded that have their own state. */
const STATE_BY_DEGRADED_REASON: ReadonlyMap<string, CronJobState> = new Map([
  ['UnparseableSchedule', 'Invalid'],
  ['UnknownTimeZone', 'Invalid'],
  ['NeverFires', 'Invalid'],
  ['FailedCreate', 'Blocked'],
  ['LastRunFailed', 'Failed'],
]);

/** Longer than a busy manager or a new leader takes. */
const LATE_MS = 60_000;

/** The scheduled time that has come without a manager. */
export function findLateSlot({ status }: Pick<CronJob, 'status'>, now: Date): Date | undefined {
  const next = parseTime(status?.nextScheduleTime);
  return next !== undefined && now.getTime() - next.getTime() > LATE_MS ? next : undefined;
}

export function computeState(cronJob: StoredCronJob, now: Date): CronJobState {
  return cronJob.invalidValues === undefined ? computeStateOfValidFields(cronJob, now) : 'Malformed';
}

/** The state, ignoring malformed values. */
export function computeStateOfValidFields(cronJob: CronJob, now: Date): CronJobState {
  const { status } = cronJob;
  if (status?.conditions === undefined) return 'Unobserved';
  const { conditions } = status;
  const isTrue = (type: string) => getCondition(conditions, type)?.status === 'True';
  const found: readonly (CronJobState | undefined)[] = [
    findDegradedState(cronJob),
    findLateSlot({ status }, now) ? 'Late' : undefined,
    isTrue('Overdue') ? 'Overdue' : undefined,
    isPaused(cronJob) ? 'Paused' : undefined,
    isSuspendedAt(cronJob.spec, now) ? 'Suspended' : undefined,
    listWaitingRuns(cronJob).length > 0 ? 'Waiting' : undefined,
    (status.activeCount ?? 0) > 0 ? 'Running' : undefined,
    'OK',
  ];
  return CRON_JOB_STATES.find((state) => found.includes(state)) ?? 'OK';
}

function findDegradedState({ spec, status }: CronJob): CronJobState | undefined {
  const degraded = getCondition(status?.conditions, 'Degraded');
  if (degraded?.status !== 'True') return undefined;
  // Users switch off a CronJob with `suspend` and a schedule that never fires.
  if (degraded.reason === 'NeverFires' && spec.suspend) return undefined;
  return STATE_BY_DEGRADED_REASON.get(degraded.reason) ?? 'Degraded';
}

/** The text in a list: it shows a pause or a suspension in addition to a worse state. */
export function formatState(cronJob: StoredCronJob, now: Date): string {
  const state = computeState(cronJob, now);
  if (state === 'Unobserved') return state;
  const hidden = [isPaused(cronJob) ? 'Paused' : undefined, isSuspendedAt(cronJob.spec, now) ? 'Suspended' : undefined];
  return [state, ...hidden.filter((each) => each !== undefined && each !== state)].join(',');
}

/** Whether a user should look at the CronJob. */
export function needsAttention(state: CronJobState): boolean {
  return CRON_JOB_STATES.indexOf(state) < CRON_JOB_STATES.indexOf('Suspended');
}

/** Worst first, then by namespace and name. */
export function compareByState(now: Date): (left: CronJob, right: CronJob) => number {
  const rank = (cronJob: CronJob) => CRON_JOB_STATES.indexOf(computeState(cronJob, now));
  return (left, right) => rank(left) - rank(right) || (formatKey(left) < formatKey(right) ? -1 : 1);
}
