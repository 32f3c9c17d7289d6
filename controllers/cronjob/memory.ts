/** What a pass leaves to the next pass of the same process. A restart loses it, and no run: docs/adr/0010-memory.md. Made by remember.ts. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus, ObjectReference } from '../../api/v1/cronjob-types.ts';
import type { Run } from './job.ts';

export interface Memory {
  /** UID of the CronJob: one that was deleted and created again under its name starts without memory. */
  readonly uid: string;
  /** Jobs that were active in a status that could not be stored: the newest hundred. The cache may not have them yet either. */
  readonly unrecorded: readonly ObjectReference[];
  /** UIDs of Jobs that were deleted to be replaced, and that the stored status still calls active. */
  readonly replaced: ReadonlySet<string>;
  /** Finished runs whose results the stored status does not have: the newest hundred. Their Jobs may be gone by the next pass. */
  readonly ended: readonly Run[];
  /** A pass resumed a paused CronJob, and the status that says so could not be stored. */
  readonly resumed?: Resumed | undefined;
  readonly unstored: Unstored;
  /** A status that was to record runs before they are replaced could not be stored: they are replaced without it. */
  readonly hasTriedToRecord?: boolean;
}

export interface Resumed {
  /** `status.paused.since` of the pause that ended. */
  readonly since: string;
  /** Earlier slots are void. */
  readonly at: Date;
}

/**
 * Fields of a status that could not be stored. The Jobs that they were computed from may be gone by the next pass, and a slot or a
 * run-now value whose Job was seen must not run again.
 */
export type Unstored = Partial<Pick<CronJobStatus, (typeof UNSTORED_FIELDS)[number]>>;

export const UNSTORED_FIELDS = [
  'lastScheduleTime',
  'lastManualRun',
  'lastSuccessfulTime',
  'lastFailureTime',
  'lastRun',
  'recentRuns',
  'handledThrough',
  'successExpectedSince',
] as const satisfies readonly (keyof CronJobStatus)[];

export const NO_MEMORY: Memory = {
  uid: '',
  unrecorded: [],
  replaced: new Set(),
  ended: [],
  unstored: {},
};

/** The memory, if it is of this CronJob and not of an earlier one of its name. */
export function memoryOf({ metadata }: CronJob, kept: Memory | undefined): Memory {
  return kept?.uid === metadata.uid ? kept : NO_MEMORY;
}

/** More than the cache ever lacks of one CronJob. A status that somebody else wrote may name any number of Jobs. */
export const MAX_REMEMBERED = 100;

/** Jobs of which a process cannot know without looking. */
export interface KnownJobs {
  readonly memory: Memory;
  /** Names of Jobs whose create got no answer. Default: none. */
  readonly uncertain?: readonly string[];
}

/**
 * Names of the Jobs that should exist, by the memory or the status, or whose create got no answer, and that are not in the cache: at most
 * {@link MAX_REMEMBERED}.
 */
export function namesToLookUp(
  { status }: CronJob,
  { memory, uncertain = [] }: KnownJobs,
  cached: readonly Job[],
): readonly string[] {
  if (status?.active === undefined && memory.unrecorded.length + uncertain.length === 0) return [];
  const known = new Set([...cached, ...memory.ended.map(({ job }) => job)].map(({ metadata }) => metadata.uid));
  const unseen = lastActive(status, memory).filter(({ uid = '' }) => !known.has(uid));
  const cachedNames = new Set(cached.map(({ metadata }) => metadata.name));
  const names = [...uncertain.filter((name) => !cachedNames.has(name)), ...unseen.map(({ name = '' }) => name)];
  return [...new Set(names)].slice(0, MAX_REMEMBERED);
}

/** The Jobs that were active when a status last named them, stored or not, except those that were replaced. */
export function lastActive(status: CronJobStatus = {}, memory: Memory): readonly ObjectReference[] {
  const named = withoutDoubles([...memory.unrecorded, ...(status.active ?? [])]);
  return named.filter(({ uid = '' }) => !memory.replaced.has(uid));
}

/** Whether {@link lastActive} has the run. For each of thousands: it makes no list. */
export function wasActive({ job }: Run, { active = [] }: CronJobStatus, { unrecorded, replaced }: Memory): boolean {
  const { uid } = job.metadata;
  const isIt = (reference: ObjectReference) => reference.uid === uid;
  return !replaced.has(uid) && (active.some(isIt) || unrecorded.some(isIt));
}

/** A status that somebody else wrote may name Jobs without a UID. */
export function withoutDoubles(references: readonly ObjectReference[]): readonly ObjectReference[] {
  return [...new Map(references.map((reference) => [reference.uid ?? reference.name, reference])).values()];
}
