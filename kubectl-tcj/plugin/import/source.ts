/**
 * A batch/v1 CronJob: the fields that `kubectl tcj import` reads, and the annotations that it writes so that an interrupted import
 * can continue.
 */
import { batch, type CronJob, type Job } from 'controller-runtime/kubernetes';
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import type { CronJob as OurCronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, IMPORTED_FROM_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';

export type SourceCronJob = CronJob;

export const sources = batch.v1.cronJobs;
export const { jobs } = batch.v1;

/** `true` on the source CronJob while the import suspends it. */
export const SUSPENDED_ANNOTATION = `${GROUP}/suspended-for-import`;
/** On the source: UID of the CronJob that replaces it. */
export const IMPORTED_AS_ANNOTATION = `${GROUP}/imported-as`;

const FIELD_MANAGER = 'kubectl-tcj';

export function isSuspendedForImport({ metadata }: SourceCronJob): boolean {
  return metadata.annotations?.[SUSPENDED_ANNOTATION] !== undefined;
}

export function getTargetUid({ metadata }: SourceCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_AS_ANNOTATION];
}

/** The UID of the source, from our CronJob. */
export function getSourceUid({ metadata }: OurCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_FROM_ANNOTATION];
}

/** When the API server stored our suspension, by its clock, or a later change of this command to the source. */
export function findSuspensionTime(source: SourceCronJob): Date | undefined {
  const fieldsEntry = source.metadata.managedFields?.find(
    ({ manager, subresource, fieldsV1 }) =>
      manager === FIELD_MANAGER && subresource === undefined && JSON.stringify(fieldsV1 ?? {}).includes('"f:suspend"'),
  );
  return parseTime(fieldsEntry?.time);
}

/** Jobs that the owner controls. */
export function filterOwnedJobs(
  owner: { readonly metadata: { readonly uid: string } },
  all: readonly Job[],
): readonly Job[] {
  return all.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid),
  );
}

/** Whether the Job is neither complete nor failed. */
export function isActive({ status }: Job): boolean {
  const ends = ['Complete', 'Failed'];
  return !(status?.conditions ?? []).some((each) => ends.includes(each.type) && each.status === 'True');
}

/** The scheduled time from the annotation of the Job, or from its name, in which Kubernetes puts the minutes since 1970. */
function findScheduledTime(source: SourceCronJob, { metadata }: Job): Date | undefined {
  const annotatedTime = parseTime(metadata.annotations?.[SCHEDULED_TIMESTAMP_ANNOTATION]);
  if (annotatedTime !== undefined) return annotatedTime;
  const prefix = `${source.metadata.name}-`;
  const minutes = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : '';
  return /^\d{6,9}$/.test(minutes) ? new Date(Number(minutes) * 60_000) : undefined;
}

/** Maximum delay of the source's controller: how long before the suspension a time may have come that it had not started. */
const MAX_DELAY_MS = 5 * 60_000;

/**
 * The scheduled times after this one run in the CronJob that replaces the stopped source: they are the times that the source has
 * not started.
 * @param suspendedAt When the API server stored the suspension.
 */
export function computeTakeOverTime(source: SourceCronJob, ownJobs: readonly Job[], suspendedAt: Date): Date {
  const earliest = new Date(suspendedAt.getTime() - MAX_DELAY_MS);
  const newest = latest(
    ...[source.metadata.creationTimestamp, source.status?.lastScheduleTime].map(parseTime),
    ...ownJobs.map((job) => findScheduledTime(source, job)),
  );
  return newest !== undefined && isAfter(newest, earliest) ? newest : earliest;
}

/**
 * How long a suspended source must have started no run before it counts as stopped: no field of its status shows that its
 * controller has read the suspension. Longer than a busy controller takes to receive the suspension.
 */
export const IDLE_MS = 10_000;
/** Times of the API server have whole seconds. */
const SECOND_MS = 1_000;

export type IdleState =
  | { readonly kind: 'Idle' }
  | { readonly kind: 'Busy' }
  /** Runs are active, and the concurrency policy does not allow another run beside them. */
  | { readonly kind: 'Running'; readonly jobNames: readonly string[] }
  /** A user has resumed the source. */
  | { readonly kind: 'Resumed' };

/** @param now The earliest possible time on the clock of the API server. */
export function computeIdleState(source: SourceCronJob, all: readonly Job[], now: Date): IdleState {
  if (source.spec.suspend !== true) return { kind: 'Resumed' };
  const ownJobs = filterOwnedJobs(source, all);
  const lastActivity = latest(
    findSuspensionTime(source),
    ...ownJobs.map(({ metadata }) => parseTime(metadata.creationTimestamp)),
  );
  if (lastActivity === undefined || now.getTime() - lastActivity.getTime() < IDLE_MS + SECOND_MS)
    return { kind: 'Busy' };
  const active = source.spec.concurrencyPolicy === 'Allow' ? [] : ownJobs.filter(isActive);
  return active.length === 0
    ? { kind: 'Idle' }
    : { kind: 'Running', jobNames: active.map(({ metadata }) => metadata.name) };
}
