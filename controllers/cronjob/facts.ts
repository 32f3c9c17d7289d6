/** The facts: everything that a pass knows before it decides, computed from what it observed and one reading of the clock. Next: decide.ts. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type ParsedSchedule, parseSchedule } from '../../api/v1/schedule.ts';
import { isSuspendedAt } from '../../api/v1/suspension.ts';
import { isRunStored } from './history.ts';
import { isControlledBy, type Run, type RunNow, runNowOf, runOf } from './job.ts';
import { lastActive, type Memory, NO_MEMORY } from './memory.ts';
import { type Pause, pauseOf } from './pause.ts';
import { isOutdated, type Ledger, ledgerOf } from './recent-runs.ts';
import { withKeysFromMessages } from './reported.ts';
import {
  type DueSlots,
  dueSlots,
  type EffectiveSchedule,
  effectiveScheduleOf,
  NOTHING_DUE,
  nextSlot,
  slotsIn,
} from './slots.ts';

/** What one pass looks at. */
export interface Observed {
  readonly cronJob: CronJob;
  /** Its runs, as {@link jobsOf} finds them, in no particular order. */
  readonly jobs: readonly Job[];
  /** From the pass before. Nothing is remembered when absent. */
  readonly memory?: Memory | undefined;
  /** Names of the Jobs that this process could not create. Default: none. */
  readonly failedJobs?: readonly string[];
}

export interface Facts {
  /** The only time of the pass. */
  readonly now: Date;
  readonly cronJob: CronJob;
  /** The stored status, in the form of this version. Empty when there is none. */
  readonly stored: CronJobStatus;
  readonly memory: Memory;
  /** Names of the Jobs that this process could not create. */
  readonly failedJobs: readonly string[];
  /** Those whose Jobs exist, unless the cache is behind the status, and those that ended and that no stored status knows of. */
  readonly runs: readonly Run[];
  /** `stored.recentRuns`, each run once. */
  readonly ledger: Ledger;
  readonly effectiveSchedule: EffectiveSchedule;
  readonly parsed: ParsedSchedule;
  readonly due: DueSlots;
  /** The next slot; `undefined` when no run will ever start, as things are. */
  readonly next: Date | undefined;
  readonly runNow: RunNow;
  readonly isDeleting: boolean;
  readonly isSuspended: boolean;
  /** The first pass after `suspend` was lifted: earlier slots were skipped on purpose. */
  readonly isResuming: boolean;
  readonly pause: Pause;
  /** How many slots the pause left out that ends with this pass; exact to 100. */
  readonly pausedSlots: number;
  /** concurrencyPolicy is Forbid and a run is active: a run that is due waits. */
  readonly mustWait: boolean;
  /** The Jobs that a new run replaces: under Replace all active ones, except those that are already being deleted. */
  readonly replaceable: readonly Job[];
  /** One of them is the only proof that its slot, or the value of the run-now annotation, was handled. */
  readonly replacesUnrecorded: boolean;
}

/** Computes the facts of a pass. */
export function assess({ cronJob, jobs, memory = NO_MEMORY, failedJobs = [] }: Observed, now: Date): Facts {
  const { metadata, spec, status = {} } = cronJob;
  const stored = withKeysFromMessages(status);
  const ledger = ledgerOf(status.recentRuns);
  const runs = runsOf(jobs, memory).filter((run) => !isOutdated(run, ledger));
  const active = runs.filter(({ state }) => state === 'Active');
  const isStored = (run: Run) => isRunStored(run, cronJob, runs);
  const isReplaceable = (run: Run) =>
    !isBeingDeleted(run.job) && isControlledBy(cronJob, run.job) && (isStored(run) || isAlreadyDue(run, now));
  const replaceable = spec.concurrencyPolicy === 'Replace' ? active.filter(isReplaceable) : [];
  const effectiveSchedule = effectiveScheduleOf(cronJob, now);
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone, anchor: effectiveSchedule.since });
  const pause = pauseOf({ cronJob, stored, ledger, memory }, runs, now);
  const handled = floorOf({ status, runs, memory, since: effectiveSchedule.since }, now);
  const floor = latest(handled, pause.resumedAt);
  const isPaused = pause.kind === 'Paused';
  const isSuspended = isSuspendedAt(spec, now);
  return {
    now,
    cronJob,
    stored,
    memory,
    failedJobs,
    runs,
    ledger,
    effectiveSchedule,
    parsed,
    due: isPaused ? NOTHING_DUE : dueSlots(parsed, floor, { spec, now }),
    next: isPaused ? undefined : nextSlot(cronJob, parsed, latest(now, floor)),
    runNow: runNowOf(cronJob, runs, memory.unstored.lastManualRun),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isSuspended,
    isResuming: hasLiftedSuspend(cronJob) && !isSuspended,
    pause,
    pausedSlots: pause.resumedAt && parsed.kind === 'ok' ? slotsIn(parsed.schedule, handled, pause.resumedAt).count : 0,
    mustWait: spec.concurrencyPolicy === 'Forbid' && active.length > 0,
    replaceable: replaceable.map(({ job }) => job),
    replacesUnrecorded: replaceable.some((run) => !isStored(run)),
  };
}

/** The runs of the Jobs. A cached Job that is older than what an earlier pass has seen of it does not undo its end. */
function runsOf(jobs: readonly Job[], { ended }: Memory): readonly Run[] {
  const runs = jobs.map(runOf);
  if (ended.length === 0) return runs;
  const remembered = ended.map((run) => ({ ...run, isRemembered: true }));
  const before = new Map(remembered.map((run) => [run.job.metadata.uid, run]));
  const known = runs.map((run) => (run.state === 'Active' ? (before.get(run.job.metadata.uid) ?? run) : run));
  const present = new Set(jobs.map(({ metadata }) => metadata.uid));
  return [...known, ...remembered.filter(({ job }) => !present.has(job.metadata.uid))];
}

/** Whether the CronJob was suspended when its status was stored, unless it was until a time that has passed. */
function hasLiftedSuspend({ spec, status = {} }: CronJob): boolean {
  const wasSuspended = getCondition(status.conditions, 'Available')?.reason === 'Suspended';
  const isOver = status.suspendedUntil !== undefined && status.suspendedUntil === spec.suspendUntil;
  return wasSuspended && !isOver;
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

/** No status records a run that is ahead of the clock, and without its Job it would run again. A manager whose clock is ahead has started it. */
function isAlreadyDue({ slot }: Run, now: Date): boolean {
  return slot === undefined || !isAfter(slot, now);
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

/**
 * The found Jobs that are runs of the CronJob, each once: those that it controls, and those that it has started and that have another owner
 * by now, or none. Without these, a run would start beside them that has to wait for them.
 */
export function jobsOf(
  cronJob: CronJob,
  found: readonly (Job | undefined)[],
  memory: Memory = NO_MEMORY,
): readonly Job[] {
  const isListed = ({ metadata }: Job) => lastActive(cronJob.status, memory).some(({ uid }) => uid === metadata.uid);
  const ours = found.filter((job) => job !== undefined).filter((job) => isControlledBy(cronJob, job) || isListed(job));
  return [...new Map(ours.map((job) => [job.metadata.uid, job])).values()];
}
