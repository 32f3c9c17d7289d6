/** Reads CronJobs and Jobs according to the semantics, without the code under test. */
import { createHash } from 'node:crypto';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import {
  INSTANTIATE_ANNOTATION,
  REQUESTED_BY_ANNOTATION,
  RESUME_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
} from '../../api/v1/groupversion.ts';

/** No slot starts when more slots than this were missed. */
export const MAX_MISSED = 100;

/** Names of the broken rules. */
export function findBrokenRules(rules: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(rules)
    .filter(([, holds]) => !holds)
    .map(([rule]) => rule);
}

/** The API server has null for a time that was not set. */
export function parseInstant(text: string | null | undefined): Date | undefined {
  return text === undefined || text === null ? undefined : new Date(text);
}

export function formatTime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** The latest instant; the beginning of time when there is no instant. */
export function latest(...instants: readonly (Date | undefined)[]): Date {
  return new Date(Math.max(0, ...instants.map((instant) => instant?.getTime() ?? 0)));
}

export function truncateToSeconds(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1000) * 1000);
}

export function isSameInstant(left: Date | undefined, right: Date | undefined): boolean {
  return left?.getTime() === right?.getTime();
}

/** The slot that the Job is the run of. A run that a CronJobRun asked for does not count as the run of its slot. */
export function getSlot({ metadata }: Pick<Job, 'metadata'>): Date | undefined {
  return isRequested({ metadata }) ? undefined : getRequestedSlot({ metadata });
}

/** The slot of a run, also of one that a CronJobRun asked for. */
export function getRequestedSlot({ metadata }: Pick<Job, 'metadata'>): Date | undefined {
  return parseInstant(metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
}

/** Whether a CronJobRun asked for the run. */
export function isRequested({ metadata }: Pick<Job, 'metadata'>): boolean {
  return metadata.annotations?.[REQUESTED_BY_ANNOTATION] !== undefined;
}

/** Whether a CronJobRun asked for the run of a slot. */
export function isBackfill(job: Pick<Job, 'metadata'>): boolean {
  return isRequested(job) && getRequestedSlot(job) !== undefined;
}

export function isManual({ metadata }: Pick<Job, 'metadata'>): boolean {
  return metadata.annotations?.[INSTANTIATE_ANNOTATION] === 'manual';
}

/** Name of the Job of a manual run. */
export function manualJobName({ metadata: { name, uid } }: CronJob, value: string): string {
  return `${name}-m${createHash('sha256').update(`${uid}/${value}`).digest('hex').slice(0, 9)}`;
}

/** `at` is empty when the time was not set. */
export type Ending = { readonly kind: 'Active' } | { readonly kind: 'Succeeded' | 'Failed'; readonly at: string };

export function getEnding({ status }: Job): Ending {
  const ended = status?.conditions?.find(
    ({ type, status: truth }) => /^(Complete|Failed)$/.test(type) && truth === 'True',
  );
  if (ended === undefined) return { kind: 'Active' };
  if (ended.type === 'Failed') return { kind: 'Failed', at: ended.lastTransitionTime ?? '' };
  return { kind: 'Succeeded', at: status?.completionTime ?? ended.lastTransitionTime ?? '' };
}

export function isActive(job: Job): boolean {
  return getEnding(job).kind === 'Active';
}

/**
 * Whether the run counts as active for the policy. With Skip, Queue and maxConcurrentRuns, a finished run does as long as its Pods
 * terminate.
 */
export function isBlocking(job: Job, { spec }: Pick<CronJob, 'spec'>): boolean {
  if (isActive(job)) return true;
  const { concurrencyPolicy: policy, maxConcurrentRuns } = spec;
  const countsPods = policy === 'Skip' || policy === 'Queue' || (policy === 'Allow' && maxConcurrentRuns !== undefined);
  return countsPods && (job.status?.terminating ?? 0) > 0;
}

export function isBeingDeleted({
  metadata,
}: {
  readonly metadata: Pick<Job['metadata'], 'deletionTimestamp'>;
}): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Namespace in a key. */
export function parseNamespace(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

/** The fields whose edit makes earlier slots void. */
export const SCHEDULE_FIELDS = ['schedule', 'timeZone', 'schedules', 'startTime', 'endTime', 'daylightSaving'] as const;

type ScheduleFields = Partial<Pick<CronJobSpec, (typeof SCHEDULE_FIELDS)[number]>>;

/** The fields that define the schedule, as one text to compare. */
export function getScheduleKey({ spec }: Pick<CronJob, 'spec'>): string {
  return getKey(spec);
}

/** The same, from the status. */
export function getStoredScheduleKey({ status }: CronJob): string | undefined {
  return status?.effectiveSchedule && getKey(status.effectiveSchedule);
}

/** The rules ask often, and neither a spec nor a stored status changes. */
const scheduleKeys = new WeakMap<ScheduleFields, string>();

function getKey(fields: ScheduleFields): string {
  const known = scheduleKeys.get(fields);
  if (known !== undefined) return known;
  const key = formatScheduleKey(fields);
  scheduleKeys.set(fields, key);
  return key;
}

function formatScheduleKey({ timeZone = 'UTC', ...fields }: ScheduleFields): string {
  return JSON.stringify(SCHEDULE_FIELDS.map((name) => (name === 'timeZone' ? timeZone : fields[name])));
}

/** Whether the status has a field of the schedule, and the spec does not have it. */
export function wasScheduleFieldRemoved({ spec, status }: CronJob): boolean {
  const stored: ScheduleFields = status?.effectiveSchedule ?? {};
  return SCHEDULE_FIELDS.some((name) => {
    const isDefault = stored[name] === undefined || (name === 'timeZone' && stored[name] === 'UTC');
    return spec[name] === undefined && !isDefault;
  });
}

/** Whether the time at which the schedule ends has come. */
export function hasEnded({ endTime }: Pick<CronJobSpec, 'endTime'>, now: Date): boolean {
  return endTime !== undefined && new Date(endTime) <= now;
}

/** The number of missed slots that start late; `undefined` when only the newest one starts. */
export function getCatchUpLimit({ spec }: Pick<CronJob, 'spec'>): number | undefined {
  if (spec.concurrencyPolicy === 'Queue') return spec.queueLimit ?? 100;
  return spec.catchUpPolicy === 'All' ? (spec.catchUpLimit ?? 100) : undefined;
}

/** The number of active runs from which on no run starts. */
export function getRunLimit({ spec }: Pick<CronJob, 'spec'>): number {
  const { maxConcurrentRuns = Number.POSITIVE_INFINITY } = spec;
  switch (spec.concurrencyPolicy) {
    case 'Allow':
      return maxConcurrentRuns;
    case 'Queue':
      return spec.maxConcurrentRuns ?? 1;
    case 'Replace':
      return Number.POSITIVE_INFINITY;
    case 'Forbid':
    case 'Skip':
      return 1;
  }
}

/** The deadline in milliseconds; `undefined` when runs may start at any later time. */
export function getDeadlineMs({ spec }: CronJob): number | undefined {
  const { startingDeadlineSeconds: seconds } = spec;
  const isBeyondTime = seconds !== undefined && seconds > 1e11;
  return seconds === undefined || isBeyondTime ? undefined : seconds * 1000;
}

/** Whether the status shows a suspension. */
export function showsSuspension(status: CronJobStatus | undefined): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'Available' && reason === 'Suspended') === true;
}

/** Whether a user has suspended the schedule. */
export function isSuspendedAt({ suspend, suspendUntil }: CronJobSpec, now: Date): boolean {
  return suspend || latest(parseInstant(suspendUntil)) > now;
}

/** The last instant whose slot is void because of a suspension with an end that has come; the beginning of time without one. */
export function voidThrough({ spec }: Pick<CronJob, 'spec'>, now: Date): Date {
  const until = latest(parseInstant(spec.suspendUntil));
  return until > now ? latest() : new Date(Math.max(0, until.getTime() - 1));
}

/** The next slot is the first one after this time. */
export function nextAfter({ spec, status = {} }: Pick<CronJob, 'spec' | 'status'>, now: Date): Date {
  const until = parseInstant(spec.suspendUntil);
  const { lastScheduleTime, handledThrough, effectiveSchedule } = status;
  const statusTimes = [lastScheduleTime, handledThrough, effectiveSchedule?.since].map(parseInstant); // ahead when a clock was wrong
  return latest(now, until && new Date(until.getTime() - 1), ...statusTimes);
}

/** Limit of the runs and skips in the status. */
export function getListLimit({ spec }: Pick<CronJob, 'spec'>): number {
  return spec.recentRunsLimit ?? 10;
}

/** Slots up to this time are settled in the status. */
export function storedFloor({ status }: CronJob): Date {
  return latest(parseInstant(status?.lastScheduleTime), parseInstant(status?.handledThrough));
}

/** Whether the schedule stands still, and no user has acted on it. */
export function isPauseInForce({ metadata, spec, status }: CronJob): boolean {
  const resume = metadata.annotations?.[RESUME_ANNOTATION];
  return (
    status?.paused !== undefined &&
    spec.pauseAfterFailures !== undefined &&
    status.observedGeneration === metadata.generation &&
    (resume === undefined || resume === status.lastResume)
  );
}
