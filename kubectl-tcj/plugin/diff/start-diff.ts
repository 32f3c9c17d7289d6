/** Computes which runs of a CronJob start at another time when a user applies a manifest. */
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import { compareStarts, listStarts, type MovedStart, type Start } from '../../../api/v1/start-changes.ts';
import { repairSpec } from '../../../api/v1/warning-rule.ts';
import type { ObjectRef } from '../report/remedy.ts';
import { isSpecChanged, mergeSpec } from './merge-spec.ts';

export interface ManifestRef extends ObjectRef {
  readonly value: unknown;
}

interface DiffTarget extends ObjectRef {
  /** The time zone of the CronJob after the edit. */
  readonly timeZone: string;
}

export interface NewCronJobDiff extends DiffTarget {
  readonly kind: 'Created';
  /** The times of the first starts without jitter. The jitter depends on the UID, which a new CronJob does not have yet. */
  readonly firstStarts: readonly Start[];
  /** The value of `spec.jitterSeconds`. */
  readonly jitterSeconds: number;
}

export interface EditedCronJobDiff extends DiffTarget {
  readonly kind: 'Edited';
  readonly dropped: StartSample<Start>;
  readonly moved: StartSample<MovedStart>;
  readonly added: StartSample<Start>;
  /** The end of the comparison. */
  readonly until: Date;
  /** Whether a schedule has too many slots to compare the whole period. */
  readonly isPartial: boolean;
  /** Whether the CronJob is paused and the manifest changes nothing, so that no run starts before a user resumes the CronJob. */
  readonly isPaused: boolean;
  /** Whether the CronJob is paused, and the manifest ends the pause because it changes the CronJob. */
  readonly endsPause: boolean;
}

/**
 * The number of starts, and a list of the first {@link MAX_LISTED_STARTS} starts. The list is limited, because thousands of
 * CronJobs may each have thousands of starts.
 */
export interface StartSample<T> {
  readonly count: number;
  readonly starts: readonly T[];
}

export type StartDiff = NewCronJobDiff | EditedCronJobDiff;

export interface ComparedPeriod {
  readonly now: Date;
  readonly until: Date;
}

const MAX_LISTED_STARTS = 100;
const MAX_STARTS_OF_NEW_CRON_JOB = 3;
/** Enough slots for a schedule that fires every minute for 34 days. */
const MAX_COMPARED_SLOTS = 50_000;
/** A time that is later than any scheduled time. */
const FAR_FUTURE = new Date('9999-12-31T23:59:59Z');

/** @param storedCronJob The CronJob in the cluster, or `undefined` if the CronJob does not exist. */
export function diffStarts(
  manifest: ManifestRef,
  storedCronJob: CronJob | undefined,
  period: ComparedPeriod,
): StartDiff {
  return storedCronJob === undefined
    ? describeCreatedCronJob(manifest, period.now)
    : compareWithStoredCronJob(manifest, storedCronJob, period);
}

function describeCreatedCronJob({ namespace, name, value }: ManifestRef, now: Date): NewCronJobDiff {
  const manifestSpec = valueAt(value, 'spec');
  const spec = repairSpec(isRecord(manifestSpec) ? manifestSpec : {});
  const creationTimestamp = formatTime(now);
  const metadata = { namespace, name, uid: '', resourceVersion: '', creationTimestamp };
  const { starts } = listStarts({ metadata, spec }, { now, until: FAR_FUTURE, limit: MAX_STARTS_OF_NEW_CRON_JOB });
  const { timeZone = DEFAULT_TIME_ZONE, jitterSeconds = 0 } = spec;
  return { kind: 'Created', namespace, name, timeZone, firstStarts: starts, jitterSeconds };
}

function compareWithStoredCronJob(
  { namespace, name, value }: ManifestRef,
  storedCronJob: CronJob,
  { now, until }: ComparedPeriod,
): EditedCronJobDiff {
  const spec = mergeSpec(storedCronJob, value);
  const isEdited = isSpecChanged(storedCronJob, value, spec);
  const changes = isEdited
    ? compareStarts(storedCronJob, spec, { now, until, limit: MAX_COMPARED_SLOTS })
    : { dropped: [], moved: [], added: [], until };
  const isPaused = storedCronJob.status?.paused !== undefined;
  const { timeZone = DEFAULT_TIME_ZONE } = spec;
  return {
    ...{ kind: 'Edited', namespace, name, timeZone },
    dropped: takeFirstStarts(changes.dropped),
    moved: takeFirstStarts(changes.moved),
    added: takeFirstStarts(changes.added),
    until: changes.until,
    isPartial: changes.until < until,
    isPaused: isPaused && !isEdited,
    endsPause: isPaused && isEdited,
  };
}

function takeFirstStarts<T>(starts: readonly T[]): StartSample<T> {
  return { count: starts.length, starts: starts.slice(0, MAX_LISTED_STARTS) };
}

/** Returns whether the manifest changes the start of a run. */
export function hasStartChanges(diff: StartDiff): boolean {
  if (diff.kind === 'Created') return true;
  const { dropped, moved, added } = diff;
  return dropped.count + moved.count + added.count > 0;
}
