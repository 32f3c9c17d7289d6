/** A CronJob of batch/v1: what `kubectl tcj import` reads of it, and what it notes on it, so that it can be begun again wherever it was interrupted. */
import { batch, type CronJob, type Job } from 'controller-runtime/kubernetes';
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import type { CronJob as OurCronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, IMPORTED_FROM_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';

export type SourceCronJob = CronJob;

export const sources = batch.v1.cronJobs;
export const { jobs } = batch.v1;

/** On the source, while it is suspended for the import: `true`. */
export const SUSPENDED_ANNOTATION = `${GROUP}/suspended-for-import`;
/** On the source: UID of the CronJob that replaces it. */
export const IMPORTED_AS_ANNOTATION = `${GROUP}/imported-as`;

const FIELD_MANAGER = 'kubectl-tcj';

export function isSuspendedByUs({ metadata }: SourceCronJob): boolean {
  return metadata.annotations?.[SUSPENDED_ANNOTATION] !== undefined;
}

export function importedAs({ metadata }: SourceCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_AS_ANNOTATION];
}

/** On one of ours: UID of the source. */
export function importedFrom({ metadata }: OurCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_FROM_ANNOTATION];
}

/** When the API server took our suspension, by its own clock; or a later change of ours to the source. */
export function suspendedAt(source: SourceCronJob): Date | undefined {
  const noted = source.metadata.managedFields?.find(
    ({ manager, subresource, fieldsV1 }) =>
      manager === FIELD_MANAGER && subresource === undefined && JSON.stringify(fieldsV1 ?? {}).includes('"f:suspend"'),
  );
  return parseTime(noted?.time);
}

/** Those that it controls. */
export function jobsOf(owner: { readonly metadata: { readonly uid: string } }, all: readonly Job[]): readonly Job[] {
  return all.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid),
  );
}

/** Neither complete nor failed. */
export function isActive({ status }: Job): boolean {
  const ends = ['Complete', 'Failed'];
  return !(status?.conditions ?? []).some((each) => ends.includes(each.type) && each.status === 'True');
}

/** By its annotation, or by its name as Kubernetes gives it, which ends with the minutes since 1970. */
function slotOf(source: SourceCronJob, { metadata }: Job): Date | undefined {
  const noted = parseTime(metadata.annotations?.[SCHEDULED_TIMESTAMP_ANNOTATION]);
  if (noted !== undefined) return noted;
  const prefix = `${source.metadata.name}-`;
  const minutes = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : '';
  return /^\d{6,9}$/.test(minutes) ? new Date(Number(minutes) * 60_000) : undefined;
}

/** How long before its suspension a time may have come that its controller, late as it was, had not started. */
const MOST_LATE_MS = 5 * 60_000;

/**
 * Scheduled times after this one are to run in the CronJob that replaces the source, which stands still: they are those that it has not started.
 * @param suspendedAt When the API server took the suspension.
 */
export function takeOverFrom(source: SourceCronJob, itsJobs: readonly Job[], suspendedAt: Date): Date {
  const earliest = new Date(suspendedAt.getTime() - MOST_LATE_MS);
  const known = latest(
    ...[source.metadata.creationTimestamp, source.status?.lastScheduleTime].map(parseTime),
    ...itsJobs.map((job) => slotOf(source, job)),
  );
  return known !== undefined && isAfter(known, earliest) ? known : earliest;
}

/**
 * How long a suspended source must have started nothing to stand still: no field of its status says that its controller has seen the suspension.
 * More than its controller takes to hear of the suspension, busy as it may be.
 */
export const STILL_MS = 10_000;
/** The API server dates in whole seconds. */
const SECOND_MS = 1_000;

export type Stillness =
  | { readonly kind: 'Still' }
  | { readonly kind: 'Moving' }
  /** Runs are active beside which its policy lets no other one go. */
  | { readonly kind: 'Running'; readonly jobNames: readonly string[] }
  /** Somebody has resumed it. */
  | { readonly kind: 'Resumed' };

/** @param now By the clock of the API server, at the earliest. */
export function stillness(source: SourceCronJob, all: readonly Job[], now: Date): Stillness {
  if (source.spec.suspend !== true) return { kind: 'Resumed' };
  const own = jobsOf(source, all);
  const moved = latest(suspendedAt(source), ...own.map(({ metadata }) => parseTime(metadata.creationTimestamp)));
  if (moved === undefined || now.getTime() - moved.getTime() < STILL_MS + SECOND_MS) return { kind: 'Moving' };
  const active = source.spec.concurrencyPolicy === 'Allow' ? [] : own.filter(isActive);
  return active.length === 0
    ? { kind: 'Still' }
    : { kind: 'Running', jobNames: active.map(({ metadata }) => metadata.name) };
}
