/** What is so: everything a pass knows before it decides, from what it saw and the one time it read the clock. Next is decide.ts. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus, ObjectReference } from '../../api/v1/cronjob-types.ts';
import { type ParsedSchedule, parseSchedule } from '../../api/v1/schedule.ts';
import { owningCronJob, type Run, type RunNow, runNowOf, runOf } from './job.ts';
import { withMemoryOfMessages } from './reported.ts';
import { type DueSlots, dueSlots, type EffectiveSchedule, effectiveScheduleOf, nextSlot } from './slots.ts';

/** What one pass looks at. */
export interface Observed {
  readonly cronJob: CronJob;
  /** The Jobs it controls, in no particular order. */
  readonly jobs: readonly Job[];
  /** What earlier passes of this process left. Nothing when absent. */
  readonly memory?: Memory | undefined;
}

/** What the passes before this one leave to it, when they were of the same process. A new process does as well without. */
export interface Memory {
  /** Of the CronJob: another one of its name has nothing to do with it. */
  readonly uid: string;
  /** Jobs that are active and that no stored status names yet: the cache may not have them for a while. */
  readonly unrecorded: readonly ObjectReference[];
  /** Names of Jobs that could not be started: at most a run by hand and a slot, which may fail in turn. */
  readonly failed: ReadonlySet<string>;
  readonly unstored: Unstored;
}

/**
 * What this process has seen and could not store. The Jobs that told of it may be gone by now, and a slot or a value whose Job
 * it has seen must not run again.
 */
export type Unstored = Partial<Pick<CronJobStatus, (typeof UNSTORED_FIELDS)[number]>>;

export const UNSTORED_FIELDS = [
  'lastScheduleTime',
  'lastManualRun',
  'lastSuccessfulTime',
  'lastFailureTime',
  'lastRun',
] as const satisfies readonly (keyof CronJobStatus)[];

export const NO_MEMORY: Memory = { uid: '', unrecorded: [], failed: new Set(), unstored: {} };

export interface Facts {
  /** The only time of the pass. */
  readonly now: Date;
  readonly cronJob: CronJob;
  /** What the stored status says, as this version would say it. Empty when there is none. */
  readonly stored: CronJobStatus;
  readonly memory: Memory;
  readonly runs: readonly Run[];
  readonly effectiveSchedule: EffectiveSchedule;
  readonly parsed: ParsedSchedule;
  readonly due: DueSlots;
  /** The slot to wait for; absent when nothing will be started. */
  readonly next: Date | undefined;
  readonly runNow: RunNow;
  readonly isDeleting: boolean;
  /** The first pass after `suspend` was lifted: slots of the time before were skipped on purpose. */
  readonly isResuming: boolean;
  /** concurrencyPolicy is Forbid and a run is active: whatever is due waits. */
  readonly mustWait: boolean;
  /** The runs that a new one replaces: the active ones under Replace, but for those that are being deleted already. */
  readonly replaceable: readonly Job[];
}

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
    stored: withMemoryOfMessages(status),
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
 * Slots at or before the floor are settled. It rises with what the status says and with what the Jobs prove: a Job of a
 * slot, whatever its state, means the slot was handled, even when the status that should say so was never written.
 */
function floorOf({ status, runs, memory: { unstored }, since }: FloorFacts, now: Date): Date {
  const handled = runs.map((run) => run.slot).filter((slot) => slot !== undefined && !isAfter(slot, now));
  const said = [status.lastScheduleTime, status.handledThrough, unstored.lastScheduleTime].map(parseTime);
  return latest(since, ...said, ...handled);
}

function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * The next slot, from the CronJob alone: for a pass that could not see more.
 * @returns `undefined` when nothing will be started.
 */
export function nextSlotOf(cronJob: CronJob, now: Date): Date | undefined {
  const { since } = effectiveScheduleOf(cronJob, now);
  const { schedule, timeZone } = cronJob.spec;
  return nextSlot(cronJob, parseSchedule(schedule, { timeZone, anchor: since }), latest(now, since));
}

/** What was kept for this CronJob. */
export function memoryOf({ metadata }: CronJob, kept: Memory | undefined): Memory {
  return kept?.uid === metadata.uid ? kept : NO_MEMORY;
}

/** More than the cache ever lags behind of one CronJob. A status that somebody else wrote may name any number. */
const MAX_LOOK_UPS = 100;

/** Names of the Jobs that this process has started or the status names, and that the cache has not: the first hundred. */
export function namesToLookUp({ status }: CronJob, memory: Memory, cached: readonly Job[]): readonly string[] {
  const known = new Set(cached.map(({ metadata }) => metadata.uid));
  const expected = [...memory.unrecorded, ...(status?.active ?? [])];
  const unseen = expected.filter(({ uid = '' }) => !known.has(uid)).map(({ name = '' }) => name);
  return [...new Set(unseen)].slice(0, MAX_LOOK_UPS);
}

/** Of the Jobs that were found, each once, those that the CronJob controls. */
export function jobsOf({ metadata }: CronJob, found: readonly (Job | undefined)[]): readonly Job[] {
  const ours = found.filter((job) => job !== undefined).filter((job) => owningCronJob(job) === metadata.uid);
  return [...new Map(ours.map((job) => [job.metadata.uid, job])).values()];
}
