/** Computes the patches and the messages of the commands `run`, `suspend` and `resume`. The caller sends the patches. */
import { findLatest, formatTime, parseTime } from '../../../api/time.ts';
import { formatWaitRule, getMaxConcurrentRuns } from '../../../api/v1/concurrency.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseDelayedTimetable } from '../../../api/v1/delayed-timetable.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt, keepsWaitingRuns } from '../../../api/v1/suspension.ts';
import { getScheduleStart } from '../../../api/v1/timetable.ts';
import { findMissedSlot } from '../../../api/v1/unmet-slots.ts';
import { listWaitingSlots } from '../../../api/v1/waiting-slots.ts';
import { formatLocalTime, formatRelativeTime } from './sentences.ts';

export interface CronJobChange {
  /** The merge patch, if the CronJob changes. */
  readonly body?: object;
  /** The predicate of a sentence whose subject is the CronJob, such as `is already suspended`. */
  readonly predicate: string;
  /** Whether the request conflicts with an existing suspension. Default: false. */
  readonly isRefused?: boolean;
}

/** A request for a manual run. `unobserved`: no manager has reconciled the CronJob, so no manager would start the run. */
export type RunRequest =
  | (Required<Pick<CronJobChange, 'body' | 'predicate'>> & {
      readonly kind: 'ok';
      /** The new value of the annotation `run-now`, which determines the name of the Job. */
      readonly annotationValue: string;
      /** A warning that the requested run replaces an earlier request. */
      readonly note?: string;
    })
  | { readonly kind: 'unobserved'; readonly message: string };

export function createRunRequest(cronJob: CronJob, now: Date): RunRequest {
  const { metadata, status } = cronJob;
  if (status?.observedGeneration === undefined) {
    const message = 'no manager has reconciled this CronJob, so no run would start; check that the manager runs';
    return { kind: 'unobserved', message };
  }
  const value = now.toISOString();
  const body = { metadata: { annotations: { [RUN_NOW_ANNOTATION]: value } } };
  const pendingRequest = metadata.annotations?.[RUN_NOW_ANNOTATION];
  const hasPendingRequest =
    pendingRequest !== undefined && pendingRequest !== status.lastManualRun && (status.activeCount ?? 0) > 0;
  const note = 'another manual run is waiting; only the newest starts, so this run replaces it';
  return {
    kind: 'ok',
    body,
    annotationValue: value,
    predicate: describeStart(cronJob),
    ...(hasPendingRequest && { note }),
  };
}

function describeStart({ spec, status = {} }: CronJob): string {
  const activeJobNames = (status.active ?? []).map(({ name }) => name).join(', ');
  if (activeJobNames === '') return 'starts a run now';
  if (spec.concurrencyPolicy === 'Replace')
    return `starts a run now and replaces the active run (concurrencyPolicy Replace): ${activeJobNames}`;
  return mustWait({ spec, status })
    ? `starts a run when the active run ends (${formatWaitRule(spec)}): ${activeJobNames}`
    : 'starts a run now';
}

/** Returns whether a new run must wait for an active run. With the policy Skip, a scheduled run does not wait but is skipped. */
function mustWait({ spec, status = {} }: Pick<CronJob, 'spec' | 'status'>): boolean {
  const { length: activeCount } = status.active ?? [];
  const limit = spec.concurrencyPolicy === 'Forbid' ? 1 : (getMaxConcurrentRuns(spec) ?? Number.POSITIVE_INFINITY);
  return activeCount >= limit;
}

/** @param until The end of the suspension in the future, or `undefined` to suspend the CronJob until a user resumes it. */
export function createSuspendChange(cronJob: CronJob, until: Date | undefined, now: Date): CronJobChange {
  const longerSuspension = until && findLongerSuspension(cronJob, until);
  if (longerSuspension !== undefined)
    return { predicate: `${longerSuspension}; not changed: to set another time, resume it first`, isRefused: true };
  if (until === undefined && cronJob.spec.suspend)
    return { predicate: `is already suspended${describeContinuingRuns(cronJob)}` };
  const spec = until ? { suspend: false, suspendUntil: formatTime(until) } : { suspend: true, suspendUntil: null };
  const effect = until ? `suspended until ${formatRelativeTime(cronJob, until, now)}` : 'suspended';
  return { body: { spec }, predicate: `${effect}${describeContinuingRuns(cronJob)}` };
}

/** Returns a message if an existing suspension ends later than `time` or has no end. */
function findLongerSuspension(cronJob: CronJob, time: Date): string | undefined {
  const { suspend, suspendUntil } = cronJob.spec;
  if (suspend) return 'is already suspended without an end';
  const currentSuspensionEnd = parseTime(suspendUntil);
  return currentSuspensionEnd !== undefined && currentSuspensionEnd > time
    ? `is already suspended until ${formatLocalTime(cronJob, currentSuspensionEnd)}`
    : undefined;
}

/** Returns the end of a message, with the runs that continue during a suspension. */
function describeContinuingRuns({ metadata, status = {} }: CronJob): string {
  const activeJobNames = (status.active ?? []).map(({ name }) => name);
  const request = metadata.annotations?.[RUN_NOW_ANNOTATION];
  return [
    activeJobNames.length > 0 ? `; active runs continue: ${activeJobNames.join(', ')}` : '',
    activeJobNames.length > 0 && request !== undefined && request !== status.lastManualRun
      ? '; a waiting manual run will start'
      : '',
  ].join('');
}

/** @param shouldSkipMissedRuns Whether to skip the runs that were missed during the suspension. */
export function createResumeChange(cronJob: CronJob, shouldSkipMissedRuns: boolean, now: Date): CronJobChange {
  const { spec, status } = cronJob;
  const hasSuspensionEnd = isSuspendedAt({ ...spec, suspend: false }, now);
  if (!spec.suspend && !hasSuspensionEnd) {
    return status?.paused
      ? { body: createResumePatch(now), predicate: `resumed${NO_MISSED_RUNS_NOTE}` }
      : { predicate: 'is not suspended or paused' };
  }
  const suspendUntil = shouldSkipMissedRuns ? formatTime(new Date(now.getTime() + 1000)) : null;
  const specPatch = { spec: { suspend: false, ...((hasSuspensionEnd || suspendUntil !== null) && { suspendUntil }) } };
  const body = { ...specPatch, ...(status?.paused && createResumePatch(now)) };
  if (status?.paused) return { body, predicate: `resumed${NO_MISSED_RUNS_NOTE}` };
  return { body, predicate: `resumed${shouldSkipMissedRuns ? '' : describeMissedRun(cronJob, now)}` };
}

/** Returns the end of a message, with the missed run that starts after the resume. */
function describeMissedRun(cronJob: CronJob, now: Date): string {
  const slot = findSlotOnResume(cronJob, now);
  if (slot === undefined) return '';
  const startTime = mustWait(cronJob) ? 'when the active run ends' : 'now';
  return `; the missed run of ${formatLocalTime(cronJob, slot)} starts ${startTime}`;
}

/**
 * Returns the scheduled time of the run that starts when a suspension ends: the first waiting run, or the newest missed run. Returns
 * `undefined` if the deadline of the run has passed, if more than 100 runs were missed, or if `concurrencyPolicy: Skip` skips the
 * run.
 */
export function findSlotOnResume(cronJob: CronJob, now: Date): Date | undefined {
  const { suspendUntil, ...fields } = cronJob.spec;
  const suspensionEnd = parseTime(suspendUntil);
  // If a user resumes the CronJob before `suspendUntil`, the field is removed.
  const isRemoved = suspensionEnd === undefined || suspensionEnd > now;
  const spec = { ...fields, suspend: false, ...(!isRemoved && { suspendUntil }) };
  const scheduleStart = getScheduleStart(cronJob);
  const isSkipped = spec.concurrencyPolicy === 'Skip' && mustWait(cronJob);
  if (scheduleStart === undefined || isSkipped) return undefined;
  const timetable = parseDelayedTimetable(cronJob, scheduleStart);
  if (timetable.kind === 'invalid') return undefined;
  const { status = {} } = cronJob;
  if (keepsWaitingRuns(cronJob, timetable.schedule, now)) return listWaitingSlots({ ...cronJob, spec }, now)[0];
  const voidThrough = isRemoved ? undefined : new Date(suspensionEnd.getTime() - 1);
  const handledTimes = [status.lastScheduleTime, status.handledThrough].map(parseTime);
  const floor = findLatest(scheduleStart, voidThrough, ...handledTimes);
  return findMissedSlot(timetable, floor, { now, deadlineSeconds: spec.startingDeadlineSeconds });
}

const NO_MISSED_RUNS_NOTE = '; missed runs do not start';

/** The controller treats each new value of the annotation `resume` as a request. */
function createResumePatch(now: Date): object {
  return { metadata: { annotations: { [RESUME_ANNOTATION]: now.toISOString() } } };
}
