/** The batch/v1 CronJob of an import, and the annotations that let an interrupted import continue. */
import { batch, type CronJob, type Job } from 'controller-runtime/kubernetes';
import { findLatest, isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob as OurCronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, IMPORTED_FROM_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';

export type SourceCronJob = CronJob;

export const sources = batch.v1.cronJobs;
export const { jobs } = batch.v1;

/** The annotation of a source that an import has suspended. The value is `true`. */
export const SUSPENDED_ANNOTATION = `${GROUP}/suspended-for-import`;
/** The annotation of an imported source, with the UID of the new CronJob as its value. */
export const IMPORTED_AS_ANNOTATION = `${GROUP}/imported-as`;

const FIELD_MANAGER = 'kubectl-tcj';

export function isSuspendedForImport({ metadata }: SourceCronJob): boolean {
  return metadata.annotations?.[SUSPENDED_ANNOTATION] !== undefined;
}

export function getTargetUid({ metadata }: SourceCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_AS_ANNOTATION];
}

/** Returns the UID of the batch/v1 CronJob from which the CronJob was imported. */
export function getSourceUid({ metadata }: OurCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_FROM_ANNOTATION];
}

/** Returns the time, on the clock of the API server, at which this plugin suspended or last changed the source. */
export function findSuspensionTime(source: SourceCronJob): Date | undefined {
  const managedFieldsEntry = source.metadata.managedFields?.find(
    ({ manager, subresource, fieldsV1 }) =>
      manager === FIELD_MANAGER && subresource === undefined && JSON.stringify(fieldsV1 ?? {}).includes('"f:suspend"'),
  );
  return parseTime(managedFieldsEntry?.time);
}

export function filterOwnedJobs(
  owner: { readonly metadata: { readonly uid: string } },
  allJobs: readonly Job[],
): readonly Job[] {
  return allJobs.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid),
  );
}

export function isActiveJob({ status }: Job): boolean {
  const finishedTypes = ['Complete', 'Failed'];
  return !(status?.conditions ?? []).some((each) => finishedTypes.includes(each.type) && each.status === 'True');
}

/**
 * Returns the scheduled time from the annotation of the Job, or from its name. The name ends with the number of minutes since 1970.
 */
function findScheduledTime(source: SourceCronJob, { metadata }: Job): Date | undefined {
  const annotatedTime = parseTime(metadata.annotations?.[SCHEDULED_TIMESTAMP_ANNOTATION]);
  if (annotatedTime !== undefined) return annotatedTime;
  const prefix = `${source.metadata.name}-`;
  const minutes = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : '';
  return /^\d{6,9}$/.test(minutes) ? new Date(Number(minutes) * 60_000) : undefined;
}

/** The maximum delay with which the batch/v1 controller starts a run. */
const MAX_START_DELAY_MS = 5 * 60_000;

/**
 * Returns the last scheduled time that the idle source handled. The new CronJob starts the runs of later times.
 * @param suspensionTime The time at which the API server stored the suspension.
 */
export function computeTakeOverTime(source: SourceCronJob, ownJobs: readonly Job[], suspensionTime: Date): Date {
  const earliest = new Date(suspensionTime.getTime() - MAX_START_DELAY_MS);
  const newestHandledTime = findLatest(
    ...[source.metadata.creationTimestamp, source.status?.lastScheduleTime].map(parseTime),
    ...ownJobs.map((job) => findScheduledTime(source, job)),
  );
  return newestHandledTime !== undefined && isAfter(newestHandledTime, earliest) ? newestHandledTime : earliest;
}

/**
 * The minimum time without a new Job after which a suspended source is idle. The command must wait, because no field shows that the
 * batch/v1 controller has observed the suspension. Even a busy controller observes the suspension within ten seconds.
 */
export const MIN_IDLE_MS = 10_000;
/** The precision of Kubernetes timestamps. */
const TIMESTAMP_PRECISION_MS = 1_000;

export type IdleState =
  | { readonly kind: 'Idle' }
  | { readonly kind: 'Busy' }
  /** `Running`: runs are active, and the concurrency policy does not allow concurrent runs. */
  | { readonly kind: 'Running'; readonly jobNames: readonly string[] }
  /** `Resumed`: a client other than this plugin has resumed the source. */
  | { readonly kind: 'Resumed' };

/** @param now The earliest possible time on the clock of the API server. */
export function computeIdleState(source: SourceCronJob, allJobs: readonly Job[], now: Date): IdleState {
  if (source.spec.suspend !== true) return { kind: 'Resumed' };
  const ownJobs = filterOwnedJobs(source, allJobs);
  const lastActivity = findLatest(
    findSuspensionTime(source),
    ...ownJobs.map(({ metadata }) => parseTime(metadata.creationTimestamp)),
  );
  if (lastActivity === undefined || now.getTime() - lastActivity.getTime() < MIN_IDLE_MS + TIMESTAMP_PRECISION_MS)
    return { kind: 'Busy' };
  const activeJobs = source.spec.concurrencyPolicy === 'Allow' ? [] : ownJobs.filter(isActiveJob);
  return activeJobs.length === 0
    ? { kind: 'Idle' }
    : { kind: 'Running', jobNames: activeJobs.map(({ metadata }) => metadata.name) };
}
