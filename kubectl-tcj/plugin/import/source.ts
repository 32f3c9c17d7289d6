/** A CronJob of batch/v1, which `kubectl tcj import` reads. */
import { batch, type CronJob, type Job } from 'controller-runtime/kubernetes';
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import { SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';

export type SourceCronJob = CronJob;

export const sources = batch.v1.cronJobs;
export const { jobs } = batch.v1;

/** For people. */
export function nameOf({
  metadata,
}: {
  readonly metadata: { readonly namespace: string; readonly name: string };
}): string {
  return `${metadata.namespace}/${metadata.name}`;
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

/** The newest scheduled time that Kubernetes has started a Job for, by the status and by the Jobs. */
function lastStartOf(source: SourceCronJob, itsJobs: readonly Job[]): Date | undefined {
  return latest(parseTime(source.status?.lastScheduleTime), ...itsJobs.map((job) => slotOf(source, job)));
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
  const known = latest(parseTime(source.metadata.creationTimestamp), lastStartOf(source, itsJobs));
  return known !== undefined && isAfter(known, earliest) ? known : earliest;
}
