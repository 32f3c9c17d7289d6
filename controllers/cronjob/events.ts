/**
 * Computes the events of a reconcile. Each event reports a change. If Kubernetes' CronJob controller sends the same
 * event, the reason is the same too.
 */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import { formatWaitRule } from '../../api/v1/concurrency.ts';
import { DEFAULT_CATCH_UP_LIMIT, MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../api/v1/job-names.ts';
import { EVENT_REASONS, type EventReason } from '../../api/v1/reasons.ts';
import {
  filterFailedStartKeys,
  findReportedFault,
  toFailedStartKey,
  toFaultKey,
  toWaitingKey,
} from '../../api/v1/reported-keys.ts';
import { formatPausedMessage } from './conditions.ts';
import {
  type ActionResults,
  describeTerminatingPods,
  formatDeleteFailure,
  formatFailedStart,
  formatStartCheckFailure,
  listWaitingJobNames,
  type PruningResult,
  type StartResult,
  toFailedStart,
} from './decide.ts';
import type { Facts } from './facts.ts';
import type { Run } from './job.ts';
import type { NewSkip, OutcomeInput, SlotOutcome } from './slot-outcome.ts';
import { getDeadlineMs } from './slots.ts';
import type { StartCheckResult } from './start-timeout.ts';

export interface CronJobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

export interface FinishedRun {
  readonly result: 'Succeeded' | 'Failed';
  /** The time from the start of the Job until its end. */
  readonly seconds: number;
}

export interface Notifications {
  readonly events: readonly CronJobEvent[];
  readonly skips: readonly Pick<NewSkip, 'reason' | 'count'>[];
  readonly finished: readonly FinishedRun[];
}

export const NO_NOTIFICATIONS: Notifications = { events: [], skips: [], finished: [] };

export function createActionEvents({ started, replaced }: ActionResults): readonly CronJobEvent[] {
  return [
    ...replaced.map(createDeletedJobEvent),
    ...(started.kind === 'Created'
      ? [createEvent('SuccessfulCreate', `Created job ${started.job.metadata.name}`)]
      : []),
  ];
}

export function createPruningEvents({ deleted, failure }: PruningResult): readonly CronJobEvent[] {
  return [
    ...deleted.map(createDeletedJobEvent),
    ...(failure ? [createEvent('FailedDelete', formatDeleteFailure(failure))] : []),
  ];
}

export function createStartCheckEvents({ ended, failure }: StartCheckResult): readonly CronJobEvent[] {
  return [
    ...ended.map(({ jobName, message }) => createEvent('StartTimeout', `Ended job ${jobName}: ${message}`)),
    ...(failure ? [createEvent('StartTimeout', formatStartCheckFailure(failure))] : []),
  ];
}

/**
 * Returns events about changes that no earlier status has recorded, except missed slots.
 * @param status The status that the reconcile will store.
 */
export function createTransitionEvents(input: OutcomeInput, status: CronJobStatus): readonly CronJobEvent[] {
  const { facts } = input;
  return [
    ...createEndedRunEvents(facts),
    ...createUnexpectedJobEvents(facts),
    ...createNewProblemEvents(input, status),
    ...createPauseEvents(facts, status),
    ...createOverdueEvents(facts, status),
  ];
}

function createPauseEvents({ cronJob, status: earlierStatus }: Facts, status: CronJobStatus): readonly CronJobEvent[] {
  if (status.paused && !earlierStatus.paused) return [createEvent('Paused', formatPausedMessage(cronJob, status))];
  return earlierStatus.paused && !status.paused
    ? [createEvent('Resumed', 'Resumed; runs that were missed before do not start')]
    : [];
}

function createOverdueEvents({ status: earlierStatus }: Facts, status: CronJobStatus): readonly CronJobEvent[] {
  const wasOverdue = getCondition(earlierStatus.conditions, 'Overdue')?.status === 'True';
  const condition = getCondition(status.conditions, 'Overdue');
  if (condition === undefined || wasOverdue === (condition.status === 'True')) return [];
  return [createEvent(wasOverdue ? 'NotOverdue' : 'Overdue', condition.message)];
}

/**
 * Returns `status.reported`: the keys of the existing problems that events have reported, including the events of this
 * reconcile.
 * @param status The status that the reconcile will store, without `reported`.
 */
export function computeReportedKeys(input: OutcomeInput, status: CronJobStatus): readonly string[] {
  const problemKeys = listLastingProblems(input, status).map(({ key }) => key);
  const keys = [...problemKeys, ...listOpenFailedStartKeys(input, status)];
  return keys.length === 0 ? keys : [...new Set(keys)].toSorted();
}

function createNewProblemEvents(input: OutcomeInput, status: CronJobStatus): readonly CronJobEvent[] {
  const { reported: reportedKeys = [] } = input.facts.status;
  return listLastingProblems(input, status)
    .filter(({ key }) => !reportedKeys.includes(key))
    .map(({ event }) => event);
}

/**
 * A problem that lasts for several reconciles. The controller sends one event about the problem, when its key is new.
 */
interface LastingProblem {
  readonly key: string;
  readonly event: CronJobEvent;
}

function listLastingProblems(
  { facts, decision, results }: OutcomeInput,
  status: CronJobStatus,
): readonly LastingProblem[] {
  return [
    ...listDegradedProblems(facts, status),
    ...listStartProblems(results.started),
    ...listWaitingJobNames(facts, decision).map((jobName) => ({
      key: toWaitingKey(jobName),
      event: createEvent(
        'JobAlreadyActive',
        `Not starting job ${jobName} because ${describeBlocker(facts)} and ${describeWaitRule(facts.cronJob)}`,
      ),
    })),
  ];
}

function describeBlocker(facts: Facts): string {
  const isRunning = facts.runs.some(({ state }) => state === 'Active');
  return (isRunning ? undefined : describeTerminatingPods(facts)) ?? 'prior execution is running';
}

/** With Forbid, returns the same text as Kubernetes' CronJob controller. */
function describeWaitRule({ spec }: CronJob): string {
  return formatWaitRule(spec).replace('concurrencyPolicy', 'concurrency policy is').replace('Runs', 'Runs is');
}

function listDegradedProblems({ cronJob, effectiveSchedule }: Facts, status: CronJobStatus): readonly LastingProblem[] {
  const reportedFault = findReportedFault(status);
  if (reportedFault === undefined) return [];
  const key = toFaultKey(reportedFault.fault, {
    ...effectiveSchedule,
    hasZeroDeadline: getDeadlineMs(cronJob.spec) === 0,
  });
  return [{ key, event: createEvent(reportedFault.fault, reportedFault.message) }];
}

function listStartProblems(startResult: StartResult): readonly LastingProblem[] {
  const failedStart = toFailedStart(startResult);
  if (failedStart === undefined) return [];
  const reason = failedStart.reason === 'DeleteFailed' ? 'FailedDelete' : 'FailedCreate';
  return [{ key: toFailedStartKey(failedStart), event: createEvent(reason, formatFailedStart(failedStart)) }];
}

/** Returns the reported keys of failed starts, for the Jobs that are still due and for the Job in `status.failedStart`. */
function listOpenFailedStartKeys(
  { facts, results: { started } }: OutcomeInput,
  status: CronJobStatus,
): readonly string[] {
  const { cronJob, status: earlierStatus, runNow, due } = facts;
  const { slot } = due;
  const openJobNames = [
    runNow.kind === 'Due' ? runNow.jobName : undefined,
    slot && toSlotJobName(cronJob, slot),
    status.failedStart?.jobName,
  ];
  const triedJobName = 'job' in started ? started.job.metadata.name : toFailedStart(started)?.jobName;
  const jobNames = openJobNames
    .filter((jobName) => jobName !== undefined)
    .filter((jobName) => jobName !== triedJobName);
  return filterFailedStartKeys(jobNames, earlierStatus.reported ?? []);
}

function createEndedRunEvents({ status: { active = [] }, runs }: Facts): readonly CronJobEvent[] {
  if (active.length === 0) return [];
  const existingUids = new Set(runs.map(({ job }) => job.metadata.uid));
  const missingReferences = active.filter(({ uid = '' }) => !existingUids.has(uid));
  const activeUids = new Set(active.map(({ uid }) => uid));
  const endedRuns = runs.filter(({ job, state }) => state !== 'Active' && activeUids.has(job.metadata.uid));
  return [
    ...endedRuns.map(({ job, state }) => {
      const condition = state === 'Succeeded' ? 'Complete' : 'Failed';
      return createEvent('SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${condition}`);
    }),
    ...missingReferences.map(({ name }) => createEvent('MissingJob', `Active job went missing: ${name}`)),
  ];
}

/**
 * A Job that a crashed reconcile created has the name of its slot, or the annotation of a manual run, so this Job is
 * not unexpected.
 */
function createUnexpectedJobEvents({ cronJob, status, runs }: Facts): readonly CronJobEvent[] {
  const listedUids = new Set(status.active?.map(({ uid }) => uid));
  const isOwnCreation = ({ job, slot, trigger }: Run) =>
    slot === undefined ? trigger !== 'External' : job.metadata.name === toSlotJobName(cronJob, slot);
  return runs
    .filter((run) => run.state === 'Active' && !listedUids.has(run.job.metadata.uid) && !isOwnCreation(run))
    .map(({ job }) =>
      createEvent('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job.metadata.name}`),
    );
}

/** @param skips The skips that the status records, oldest first. */
export function createQueueFullEvents(skips: readonly NewSkip[], { spec }: CronJob): readonly CronJobEvent[] {
  const limit = spec.queueLimit ?? DEFAULT_CATCH_UP_LIMIT;
  return skips
    .filter(({ reason }) => reason === 'QueueFull')
    .map(({ count, firstTime, lastTime }) => {
      const [first, last] = [formatTime(firstTime), formatTime(lastTime)];
      const runs = count === 1 ? `the waiting run of ${first}` : `the waiting runs of ${first} to ${last}`;
      return createEvent('QueueFull', `Skipped ${runs} because more than ${limit} runs waited (queueLimit)`);
    });
}

/** The event about missed slots is sent after a Job or the stored status proves that the slots are handled. */
export function createMissedSlotEvents({ missed }: SlotOutcome): readonly CronJobEvent[] {
  if (missed === undefined) return [];
  if (missed !== 'TooMany')
    return [createEvent('MissSchedule', `Missed scheduled time to start a job: ${formatTime(missed)}`)];
  return [
    createEvent(
      'TooManyMissedTimes',
      `Cannot determine if job needs to be started. Too many missed start time (> ${MAX_MISSED_SLOTS}). ` +
        'Set or decrease .spec.startingDeadlineSeconds or check clock skew.',
    ),
  ];
}

function createDeletedJobEvent({ metadata }: Job): CronJobEvent {
  return createEvent('SuccessfulDelete', `Deleted job ${metadata.name}`);
}

function createEvent(reason: EventReason, message: string): CronJobEvent {
  return { type: EVENT_REASONS[reason].type, reason, message };
}
