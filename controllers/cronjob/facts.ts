/** The facts: everything that a pass knows before it decides, computed from what it observed and one reading of the clock. Next: decide.ts. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus, ObjectReference } from '../../api/v1/cronjob-types.ts';
import { type ParsedSchedule, parseSchedule } from '../../api/v1/schedule.ts';
import { owningCronJob, type Run, type RunNow, runNowOf, runOf } from './job.ts';
import { withKeysFromMessages } from './reported.ts';
import { type DueSlots, dueSlots, type EffectiveSchedule, effectiveScheduleOf, nextSlot } from './slots.ts';

/** What one pass looks at. */
export interface Observed {
  readonly cronJob: CronJob;
  /** The Jobs that it controls, in no particular order. */
  readonly jobs: readonly Job[];
  /** From the pass before. Nothing is remembered when absent. */
  readonly memory?: Memory | undefined;
}

/** What a pass leaves to the next pass of the same process. A restart loses it, and no run: docs/adr/0010-memory.md. */
export interface Memory {
  /** UID of the CronJob: one that was deleted and created again under its name starts without memory. */
  readonly uid: string;
  /** Jobs that were active in a status that could not be stored: the newest hundred. The cache may not have them yet either. */
  readonly unrecorded: readonly ObjectReference[];
  /** UIDs of Jobs that were deleted to be replaced, and that the stored status still calls active. */
  readonly replaced: ReadonlySet<string>;
  /** Names of Jobs that could not be started: at most two, one of a manual run and one of a slot. */
  readonly failed: ReadonlySet<string>;
  readonly unstored: Unstored;
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
  'handledThrough',
] as const satisfies readonly (keyof CronJobStatus)[];

const NONE: ReadonlySet<string> = new Set();

export const NO_MEMORY: Memory = { uid: '', unrecorded: [], replaced: NONE, failed: NONE, unstored: {} };

export interface Facts {
  /** The only time of the pass. */
  readonly now: Date;
  readonly cronJob: CronJob;
  /** The stored status, in the form of this version. Empty when there is none. */
  readonly stored: CronJobStatus;
  readonly memory: Memory;
  readonly runs: readonly Run[];
  readonly effectiveSchedule: EffectiveSchedule;
  readonly parsed: ParsedSchedule;
  readonly due: DueSlots;
  /** The next slot; `undefined` when no run will ever start, as things are. */
  readonly next: Date | undefined;
  readonly runNow: RunNow;
  readonly isDeleting: boolean;
  /** The first pass after `suspend` was lifted: earlier slots were skipped on purpose. */
  readonly isResuming: boolean;
  /** concurrencyPolicy is Forbid and a run is active: a run that is due waits. */
  readonly mustWait: boolean;
  /** The Jobs that a new run replaces: under Replace all active ones, except those that are already being deleted. */
  readonly replaceable: readonly Job[];
}

/** Computes the facts of a pass. */
export function assess({ cronJob, jobs, memory = NO_MEMORY }: Observed, now: Date): Facts {
  const { metadata, spec, status = {} } = cronJob;
  const runs = jobs.map(runOf);
  const active = runs.filter(({ state }) => state === 'Active').map(({ job }) => job);
  const effectiveSchedule = effectiveScheduleOf(cronJob, now);
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone, anchor: effectiveSchedule.since });
  const floor = floorOf({ status, runs, memory, since: effectiveSchedule.since }, now);
  return {
    now,
    cronJob,
    stored: withKeysFromMessages(status),
    memory,
    runs,
    effectiveSchedule,
    parsed,
    due: dueSlots(parsed, floor, { spec, now }),
    next: nextSlot(cronJob, parsed, latest(now, floor)),
    runNow: runNowOf(cronJob, runs, memory.unstored.lastManualRun),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isResuming: getCondition(status.conditions, 'Available')?.reason === 'Suspended' && !spec.suspend,
    mustWait: spec.concurrencyPolicy === 'Forbid' && active.length > 0,
    replaceable: spec.concurrencyPolicy === 'Replace' ? active.filter((job) => !isBeingDeleted(job)) : [],
  };
}

interface FloorFacts {
  readonly status: CronJobStatus;
  readonly runs: readonly Run[];
  readonly memory: Memory;
  readonly since: Date;
}

/**
 * The time up to which every slot is handled. It follows from the status and from the Jobs: a Job of a slot, whatever its state,
 * proves that the slot was handled, even if the status that should record it was never written.
 */
function floorOf({ status, runs, memory: { unstored }, since }: FloorFacts, now: Date): Date {
  const handled = runs.map((run) => run.slot).filter((slot) => slot !== undefined && !isAfter(slot, now));
  const recorded = [status.lastScheduleTime, status.handledThrough, unstored.lastScheduleTime].map(parseTime);
  return latest(since, ...recorded, ...handled);
}

function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * The next slot, from the CronJob alone: for a pass that failed before it read the Jobs.
 * @returns `undefined` when no run will ever start, as things are.
 */
export function nextSlotOf(cronJob: CronJob, now: Date): Date | undefined {
  const { since } = effectiveScheduleOf(cronJob, now);
  const { schedule, timeZone } = cronJob.spec;
  return nextSlot(cronJob, parseSchedule(schedule, { timeZone, anchor: since }), latest(now, since));
}

/** The memory, if it is of this CronJob and not of an earlier one of its name. */
export function memoryOf({ metadata }: CronJob, kept: Memory | undefined): Memory {
  return kept?.uid === metadata.uid ? kept : NO_MEMORY;
}

/** More than the cache ever lacks of one CronJob. A status that somebody else wrote may name any number of Jobs. */
const MAX_LOOK_UPS = 100;

/** Names of the Jobs that should exist, by the memory or the status, and are not in the cache: at most {@link MAX_LOOK_UPS}. */
export function namesToLookUp({ status }: CronJob, memory: Memory, cached: readonly Job[]): readonly string[] {
  const known = new Set(cached.map(({ metadata }) => metadata.uid));
  const unseen = lastActive(status, memory).filter(({ uid = '' }) => !known.has(uid));
  return [...new Set(unseen.map(({ name = '' }) => name))].slice(0, MAX_LOOK_UPS);
}

/** What the memory keeps of Jobs after a pass that has seen `active` ones and deleted `replaced` ones, and whose status is not stored. */
export function rememberJobs(
  { stored, memory }: Pick<Facts, 'stored' | 'memory'>,
  { active, replaced }: { readonly active: readonly ObjectReference[]; readonly replaced: readonly Job[] },
): Pick<Memory, 'unrecorded' | 'replaced'> {
  const recorded = new Set(stored.active?.map(({ uid }) => uid));
  const gone = new Set([...memory.replaced, ...replaced.map(({ metadata }) => metadata.uid)]);
  const isUnrecorded = ({ uid = '' }: ObjectReference) => !recorded.has(uid) && !gone.has(uid);
  return {
    unrecorded: withoutDoubles([...memory.unrecorded, ...active])
      .filter(isUnrecorded)
      .slice(-MAX_LOOK_UPS),
    replaced: new Set([...gone].filter((uid) => recorded.has(uid))),
  };
}

/** The Jobs that were active when a status last named them, stored or not, except those that were replaced. */
export function lastActive(status: CronJobStatus = {}, memory: Memory): readonly ObjectReference[] {
  const named = withoutDoubles([...memory.unrecorded, ...(status.active ?? [])]);
  return named.filter(({ uid = '' }) => !memory.replaced.has(uid));
}

/** A status that somebody else wrote may name Jobs without a UID. */
function withoutDoubles(references: readonly ObjectReference[]): readonly ObjectReference[] {
  return [...new Map(references.map((reference) => [reference.uid ?? reference.name, reference])).values()];
}

/** The found Jobs that the CronJob controls, each once. */
export function jobsOf({ metadata }: CronJob, found: readonly (Job | undefined)[]): readonly Job[] {
  const ours = found.filter((job) => job !== undefined).filter((job) => owningCronJob(job) === metadata.uid);
  return [...new Map(ours.map((job) => [job.metadata.uid, job])).values()];
}
