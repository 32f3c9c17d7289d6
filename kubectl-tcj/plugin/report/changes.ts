/** Computes the changes of run, suspend and resume, and their messages. The caller sends a change, or shows it first. */
import { formatTime, isAfter, latest, parseTime } from '../../../api/time.ts';
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { findUnmetSlots } from '../../../api/v1/unmet-slots.ts';
import { parseCronJobSchedule } from './cron-job-schedule.ts';
import { formatLocalTime, formatRelativeTime } from './sentences.ts';

export interface CronJobChange {
  /** A merge patch. Absent when no change is needed. */
  readonly body?: object;
  /** Follows the name of the CronJob. Without a full stop. */
  readonly sentence: string;
  /** Whether the requested state is impossible. Default false. */
  readonly isRefused?: boolean;
}

/** A change that starts a manual run. `unobserved`: no manager would start it. */
export type RunChange =
  | (Required<Pick<CronJobChange, 'body' | 'sentence'>> & {
      readonly kind: 'ok';
      /** Value of the annotation, which determines the name of the Job. */
      readonly value: string;
      /** The effect on another manual run that this one replaces. */
      readonly note?: string;
    })
  | { readonly kind: 'unobserved'; readonly message: string };

export function createRunChange(cronJob: CronJob, now: Date): RunChange {
  const { metadata, status } = cronJob;
  if (status?.observedGeneration === undefined) {
    const message = 'no manager has reconciled this CronJob, so no run would start; check that the manager runs';
    return { kind: 'unobserved', message };
  }
  const value = now.toISOString();
  const body = { metadata: { annotations: { [RUN_NOW_ANNOTATION]: value } } };
  const pending = metadata.annotations?.[RUN_NOW_ANNOTATION];
  const hasPending = pending !== undefined && pending !== status.lastManualRun && (status.activeCount ?? 0) > 0;
  const note = 'another manual run is waiting; only the newest starts, so this run replaces it';
  return { kind: 'ok', body, value, sentence: describeStart(cronJob), ...(hasPending && { note }) };
}

function describeStart({ spec, status = {} }: CronJob): string {
  const active = (status.active ?? []).map(({ name }) => name).join(', ');
  if (active === '' || spec.concurrencyPolicy === 'Allow') return 'starts a run now';
  return spec.concurrencyPolicy === 'Forbid'
    ? `starts a run when the active run ends (concurrencyPolicy Forbid): ${active}`
    : `starts a run now and replaces the active run (concurrencyPolicy Replace): ${active}`;
}

/** @param until A time ahead. Absent: until a user resumes the CronJob. */
export function createSuspendChange(cronJob: CronJob, until: Date | undefined, now: Date): CronJobChange {
  const longer = until && findLongerSuspension(cronJob, until);
  if (longer !== undefined)
    return { sentence: `${longer}; not changed: to set another time, resume it first`, isRefused: true };
  if (until === undefined && cronJob.spec.suspend)
    return { sentence: `is already suspended${describeContinuingRuns(cronJob)}` };
  const spec = until ? { suspend: false, suspendUntil: formatTime(until) } : { suspend: true, suspendUntil: null };
  const what = until ? `suspended until ${formatRelativeTime(cronJob, until, now)}` : 'suspended';
  return { body: { spec }, sentence: `${what}${describeContinuingRuns(cronJob)}` };
}

/** The message when an existing suspension ends later than `time` or has no end, because a user chose that. */
function findLongerSuspension(cronJob: CronJob, time: Date): string | undefined {
  const { suspend, suspendUntil } = cronJob.spec;
  if (suspend) return 'is already suspended without an end';
  const until = parseTime(suspendUntil);
  return until !== undefined && until > time
    ? `is already suspended until ${formatLocalTime(cronJob, until)}`
    : undefined;
}

/** Runs that a suspension does not stop. */
function describeContinuingRuns({ metadata, status = {} }: CronJob): string {
  const active = (status.active ?? []).map(({ name }) => name);
  const request = metadata.annotations?.[RUN_NOW_ANNOTATION];
  return [
    active.length > 0 ? `; active runs continue: ${active.join(', ')}` : '',
    active.length > 0 && request !== undefined && request !== status.lastManualRun
      ? '; a waiting manual run will start'
      : '',
  ].join('');
}

/** @param skipsMissed Whether to skip the runs that were missed while suspended. */
export function createResumeChange(cronJob: CronJob, skipsMissed: boolean, now: Date): CronJobChange {
  const { spec, status } = cronJob;
  const isUntil = isSuspendedAt({ ...spec, suspend: false }, now);
  if (!spec.suspend && !isUntil) {
    return status?.paused
      ? { body: createResumePatch(now), sentence: `resumed${MISSED_STAYS}` }
      : { sentence: 'is not suspended or paused' };
  }
  const suspendUntil = skipsMissed ? formatTime(new Date(now.getTime() + 1000)) : null;
  const lifted = { spec: { suspend: false, ...((isUntil || suspendUntil !== null) && { suspendUntil }) } };
  const body = { ...lifted, ...(status?.paused && createResumePatch(now)) };
  const missed = status?.paused || suspendUntil !== null ? undefined : findSlotOnResume(cronJob, now);
  const run = missed ? `; the missed run of ${formatLocalTime(cronJob, missed)} starts now` : '';
  return { body, sentence: `resumed${status?.paused ? MISSED_STAYS : run}` };
}

/**
 * The scheduled time that starts as soon as a suspension ends: the newest missed time, unless its deadline has passed, or more than
 * a hundred were missed. Relies on the times that the status marks as handled.
 */
export function findSlotOnResume(cronJob: CronJob, now: Date): Date | undefined {
  const { status = {}, spec, metadata } = cronJob;
  const handled = [status.effectiveSchedule?.since, status.lastScheduleTime, status.handledThrough].map(parseTime);
  const floor = latest(parseTime(metadata.creationTimestamp), ...handled);
  const schedule = parseCronJobSchedule(cronJob);
  if (floor === undefined || schedule === undefined) return undefined;
  const { startingDeadlineSeconds: seconds } = spec;
  const tooLate = seconds === undefined ? floor : latest(floor, new Date(now.getTime() - seconds * 1000));
  if (!isAfter(now, tooLate)) return undefined;
  const { newest, count } = findUnmetSlots(schedule, tooLate, now, MAX_MISSED_SLOTS + 1);
  return count > MAX_MISSED_SLOTS ? undefined : newest;
}

const MISSED_STAYS = '; missed runs do not start';

/** The controller handles each new value of the annotation as a request. */
function createResumePatch(now: Date): object {
  return { metadata: { annotations: { [RESUME_ANNOTATION]: now.toISOString() } } };
}
