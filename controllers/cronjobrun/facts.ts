/** Computes the facts on which a reconcile of a CronJobRun bases its decision. */
import { isConditionTrue } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime, isAfter, parseTime } from '../../api/time.ts';
import type { Backfill } from '../../api/v1/backfill-slots.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunStatus, RequestedJob } from '../../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRequestedSlot, toRequestedJobName } from '../../api/v1/job-names.ts';
import { MAX_MESSAGE_LENGTH } from '../../api/v1/recent-lines.ts';
import { findOverrideFault } from '../../api/v1/run-overrides.ts';
import type { StoredCronJobRun } from '../../api/v1/stored-cronjobrun.ts';
import { parseTimetable } from '../../api/v1/timetable.ts';
import type { Facts } from '../cronjob/facts.ts';
import { toRun } from '../cronjob/job.ts';
import { findRemainingSlots, getRequestedSlot } from './slots.ts';

/** The objects that a reconcile has read. */
export interface RunObservation {
  /** The CronJobRun with the newest known status. */
  readonly run: StoredCronJobRun;
  readonly cronJob: CronJob | undefined;
  /** Jobs of the CronJobRun, including each Job that the status lists as running and that still exists. */
  readonly jobs: readonly Job[];
}

export interface RunFacts extends RunObservation {
  readonly now: Date;
  readonly status: CronJobRunStatus;
  /** The reason that no run may start, or `undefined` if runs may start. */
  readonly refusal: Refusal | undefined;
  /** The Jobs with their new results, the newest first. */
  readonly jobList: readonly RequestedJob[];
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  /** The runs that have not started, in the order in which they start. */
  readonly remaining: readonly RequestedStart[];
}

/** A run to start. */
export interface RequestedStart {
  /** Absent for a manual run. */
  readonly slot?: Date;
  readonly jobName: string;
}

export type RefusalReason =
  | 'TooOld'
  | 'InvalidSpec'
  | 'CronJobNotFound'
  | 'CronJobDeleted'
  | 'CronJobReplaced'
  | 'OverridesNotAllowed'
  | 'ScheduledTimeInFuture'
  | 'InvalidSchedule'
  | 'TooManySlots'
  | 'NoSlots';

export interface Refusal {
  readonly reason: RefusalReason;
  readonly message: string;
  /** Whether no later reconcile can accept the CronJobRun. */
  readonly isFinal: boolean;
}

/** A CronJobRun that could not be accepted within this time starts no runs, because its user no longer expects them. */
const MAX_ACCEPTANCE_MS = 3_600_000;

export function assessRun(observation: RunObservation, now: Date): RunFacts {
  const { run } = observation;
  const facts = assessRequest(observation, now);
  const isLate = facts.refusal === undefined && !isAccepted(run) && isAfter(now, computeAcceptanceEnd(run, now));
  return isLate ? { ...facts, refusal: TOO_OLD, remaining: [] } : facts;
}

function assessRequest(observation: RunObservation, now: Date): RunFacts {
  const { run, cronJob } = observation;
  const { status = {} } = run;
  const jobList = updateJobs(status.jobs ?? [], observation.jobs);
  const countResults = (isResult: (result: RequestedJob['result']) => boolean) =>
    jobList.filter((job, index) => status.jobs?.[index]?.result === 'Running' && isResult(job.result)).length;
  const counts = {
    active: jobList.filter(({ result }) => result === 'Running').length,
    succeeded: (status.succeeded ?? 0) + countResults((result) => result === 'Succeeded'),
    failed: (status.failed ?? 0) + countResults((result) => result === 'Failed' || result === 'Unknown'),
    skipped: status.skipped ?? 0,
  };
  const facts = { ...observation, now, status, jobList, ...counts };
  const specRefusal = run.specFault === undefined ? undefined : createRefusal('InvalidSpec', run.specFault);
  const refusal = specRefusal ?? findRefusal(run, cronJob, now);
  if (refusal !== undefined || cronJob === undefined) return { ...facts, refusal, remaining: [] };
  const { backfill } = run.spec;
  const handledCount = counts.active + counts.succeeded + counts.failed + counts.skipped;
  if (backfill !== undefined) return { ...facts, ...assessBackfill(backfill, { run, cronJob, now, handledCount }) };
  return { ...facts, refusal, remaining: handledCount > 0 ? [] : [toStart(run, getRequestedSlot(run))] };
}

function assessBackfill(
  backfill: Backfill,
  { run, cronJob, now, handledCount }: Pick<RunFacts, 'run' | 'now'> & { cronJob: CronJob; handledCount: number },
): Pick<RunFacts, 'refusal' | 'remaining'> {
  const lastSlot = parseTime(run.status?.lastScheduledTime);
  const backfillSlots = findRemainingSlots(backfill, {
    cronJob,
    now,
    createdAt: getCreationTime(run, now),
    lastSlot,
    handledCount,
  });
  switch (backfillSlots.kind) {
    case 'InvalidSchedule':
      return {
        refusal: createRefusal('InvalidSchedule', `the CronJob is invalid: ${backfillSlots.message}`),
        remaining: [],
      };
    case 'TooManySlots': {
      const message = `the range contains more than ${backfill.limit} scheduled times, or very many excluded times`;
      return {
        refusal: createRefusal('TooManySlots', `${message}; give a shorter range or a higher limit`),
        remaining: [],
      };
    }
    case 'Slots': {
      const isEmpty = backfillSlots.slots.length === 0 && !isAccepted(run);
      const message = 'the CronJob has no scheduled times in this range before the creation of the CronJobRun';
      return {
        refusal: isEmpty ? createRefusal('NoSlots', message) : undefined,
        remaining: backfillSlots.slots.map((slot) => toStart(run, slot)),
      };
    }
  }
}

function toStart(run: CronJobRun, slot: Date | undefined): RequestedStart {
  return { ...(slot && { slot }), jobName: toRequestedJobName(run, slot) };
}

/** Whether an earlier reconcile has accepted the CronJobRun. */
export function isAccepted({ status }: Pick<CronJobRun, 'status'>): boolean {
  return status?.startTime !== undefined;
}

export function isFinishedRun({ status }: Pick<CronJobRun, 'status'>): boolean {
  const { conditions } = status ?? {};
  return isConditionTrue(conditions, 'Complete') || isConditionTrue(conditions, 'Failed');
}

const TOO_OLD: Refusal = {
  reason: 'TooOld',
  message: 'the CronJobRun was restored from a backup, or is older than an hour; create another one to start its runs',
  isFinal: true,
};

function createRefusal(reason: RefusalReason, message: string, isFinal = false): Refusal {
  return { reason, message, isFinal };
}

function findRefusal(run: CronJobRun, cronJob: CronJob | undefined, now: Date): Refusal | undefined {
  const { cronJobName, overrides } = run.spec;
  const wasAccepted = isAccepted(run);
  if (run.status === undefined && (isRestored(run) || isAfter(now, computeAcceptanceEnd(run, now)))) return TOO_OLD;
  if (cronJob === undefined)
    return createRefusal('CronJobNotFound', `the CronJob ${cronJobName} does not exist`, wasAccepted);
  if (wasAccepted && run.status?.cronJobUID !== cronJob.metadata.uid)
    return createRefusal(
      'CronJobReplaced',
      `the CronJob ${cronJobName} was deleted and created again; create another CronJobRun`,
      true,
    );
  if (cronJob.metadata.deletionTimestamp !== undefined)
    return createRefusal('CronJobDeleted', `the CronJob ${cronJobName} is being deleted`, wasAccepted);
  const fault = overrides && findOverrideFault(overrides, cronJob.spec);
  if (fault !== undefined) return createRefusal('OverridesNotAllowed', fault);
  return findSlotRefusal(run, cronJob, now);
}

function findSlotRefusal(run: CronJobRun, { spec }: CronJob, now: Date): Refusal | undefined {
  const slot = getRequestedSlot(run);
  if (slot === undefined) return undefined;
  // The clock of the client may be ahead of the clock of the API server.
  if (slot.getTime() > getCreationTime(run, now).getTime() + MAX_CLOCK_SKEW_MS)
    return createRefusal(
      'ScheduledTimeInFuture',
      'the scheduled time is later than the creation of the CronJobRun; use manual to start a run now',
    );
  // The Job states the slot in the time zone of the CronJob, and the time zone may be unknown.
  const parsed = parseTimetable(spec, now);
  return parsed.kind === 'invalid' ? createRefusal('InvalidSchedule', parsed.message) : undefined;
}

const MAX_CLOCK_SKEW_MS = 60_000;

/** Returns `now` if the CronJobRun has no creation time. */
function getCreationTime({ metadata }: Pick<CronJobRun, 'metadata'>, now: Date): Date {
  return parseTime(metadata.creationTimestamp) ?? now;
}

/** Returns when the time to accept the CronJobRun ends. */
export function computeAcceptanceEnd(run: Pick<CronJobRun, 'metadata'>, now: Date): Date {
  return new Date(getCreationTime(run, now).getTime() + MAX_ACCEPTANCE_MS);
}

/** Label of an object that Velero has restored. The API server sets a new creation time for a restored object. */
const RESTORE_LABEL = 'velero.io/restore-name';

function isRestored({ metadata: { labels, annotations } }: Pick<CronJobRun, 'metadata'>): boolean {
  return labels?.[RESTORE_LABEL] !== undefined || annotations?.[RESTORE_LABEL] !== undefined;
}

/** Whether the CronJobRun has created the Job, or would create a Job of this name. */
export function isJobOf(run: Pick<CronJobRun, 'metadata' | 'spec'>, { metadata: { name, annotations } }: Job): boolean {
  if (annotations?.[REQUESTED_BY_ANNOTATION] !== run.metadata.name) return false;
  return name === toRequestedJobName(run, parseRequestedSlot(name));
}

/** Whether the Job of the run exists, or the CronJob has recorded it. Replace deletes a Job that the CronJobRun may not have counted. */
export function isStarted(
  { jobName }: RequestedStart,
  run: Pick<CronJobRun, 'metadata' | 'spec'>,
  { runs, recentRuns }: Pick<Facts, 'runs' | 'recentRuns'>,
): boolean {
  const exists = runs.some(({ job }) => job.metadata.name === jobName && isJobOf(run, job));
  return exists || recentRuns.some((recentRun) => recentRun.jobName === jobName);
}

function updateJobs(listedJobs: readonly RequestedJob[], jobs: readonly Job[]): readonly RequestedJob[] {
  const jobsByName = new Map(jobs.map((job) => [job.metadata.name, job]));
  return listedJobs.map((entry) => {
    if (entry.result !== 'Running') return entry;
    const job = jobsByName.get(entry.name);
    return job === undefined ? { ...entry, result: 'Unknown', reason: 'JobDeleted' } : updateJob(entry, job);
  });
}

function updateJob(entry: RequestedJob, job: Job): RequestedJob {
  const { state, startedAt, finishedAt, failureReason: reason, message } = toRun(job);
  const startTimeField = startedAt && { startTime: formatTime(startedAt) };
  if (state === 'Active') return { ...entry, ...startTimeField };
  return {
    ...entry,
    ...startTimeField,
    ...(finishedAt && { completionTime: formatTime(finishedAt) }),
    result: state,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() }),
  };
}

/** Whether the Job may be deleted: the status of the CronJobRun has the result of the Job, or will never have it. */
export function hasCountedJob(run: CronJobRun, job: Job): boolean {
  if (isFinishedRun(run)) return true;
  const { jobs = [], lastScheduledTime } = run.status ?? {};
  const entry = jobs.find(({ name }) => name === job.metadata.name);
  if (entry !== undefined) return entry.result !== 'Running';
  const [slot, lastSlot] = [
    parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION]),
    parseTime(lastScheduledTime),
  ];
  if (slot === undefined || lastSlot === undefined) return false;
  return run.spec.backfill?.order === 'NewestFirst' ? slot >= lastSlot : slot <= lastSlot;
}
