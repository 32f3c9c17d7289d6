/**
 * What to do about a CronJob now. The order of the guards in `decide` is the specification of a pass; a new outcome does
 * not compile until its event, its tally and its trace in the status are answered for.
 */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { type ParsedSchedule, parseSchedule } from '../../api/v1/schedule.ts';
import { type DueSlots, deadlineMs, dueSlots, NOTHING_DUE } from './due-slots.ts';
import { type EffectiveSchedule, effectiveScheduleOf } from './effective-schedule.ts';
import { runNowJob, slotJob, slotJobName } from './job.ts';
import { latest, type Observed, parseTime, type Run, runOf, storedCondition } from './observed.ts';
import { type RunNow, runNowOf } from './run-now.ts';

/** The one thing a pass decided about starting a run. */
export type Outcome =
  /** The CronJob is on its way out: nothing is started. */
  | { readonly kind: 'Deleting' }
  /** A run was asked for by hand and is started. What the schedule wants, the next pass sees to, at once. */
  | { readonly kind: 'RunNow'; readonly value: string; readonly job: NewJob; readonly replaces: readonly Job[] }
  | { readonly kind: 'InvalidSchedule' }
  | { readonly kind: 'Suspended' }
  | ({ readonly kind: 'NothingDue' } & Due)
  /** So many slots went by unmet that nobody can tell which should run late. */
  | ({ readonly kind: 'TooManyMissed' } & Due)
  /** A slot is due, and concurrencyPolicy Forbid makes it wait for the runs that are active. */
  | ({ readonly kind: 'Blocked'; readonly slot: Date } & Due)
  /** A slot is due and is started, after the runs it replaces have been deleted. */
  | ({ readonly kind: 'Run'; readonly slot: Date; readonly job: NewJob; readonly replaces: readonly Job[] } & Due);

/** The slots that a pass found due. Of those that may still start, only the newest ever does. */
interface Due {
  readonly due: DueSlots;
}

export interface Plan {
  readonly outcome: Outcome;
  readonly runs: readonly Run[];
  readonly effectiveSchedule: EffectiveSchedule;
  readonly parsed: ParsedSchedule;
  readonly runNow: RunNow;
  /** Names of the Jobs that are due and wait, because concurrencyPolicy is Forbid, for the active ones to end. */
  readonly waiting: readonly string[];
  /** The slot to wait for; absent when nothing will be started. */
  readonly next?: Date;
  /** The first pass after `suspend` was lifted: slots of the time before were skipped on purpose. */
  readonly isResuming: boolean;
}

/** Decides everything a pass does, from what it saw and the one time it read the clock. */
export function plan(observed: Observed, now: Date): Plan {
  const { cronJob } = observed;
  const { spec } = cronJob;
  const runs = observed.jobs.map(runOf);
  const effectiveSchedule = effectiveScheduleOf(cronJob, now);
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone, anchor: effectiveSchedule.since });
  const floor = floorOf(observed, runs, { since: effectiveSchedule.since, now });
  const runNow = runNowOf(cronJob, runs, observed.unstored?.lastManualRun);
  const isResuming = storedCondition(cronJob.status, 'Available')?.reason === 'Suspended' && !spec.suspend;
  // A run by hand that cannot be started must not hold up the schedule, nor take its place in the pass that knows why
  // slots were skipped.
  const isScheduleFirst = isResuming || (runNow.kind === 'Due' && observed.failures?.has(runNow.jobName) === true);
  const outcome = decide({ cronJob, runs, parsed, floor, runNow, isScheduleFirst }, now);
  return {
    outcome,
    runs,
    effectiveSchedule,
    parsed,
    runNow,
    waiting: waitingJobs(cronJob, { runs, runNow, outcome }),
    ...nextSlot(cronJob, parsed, latest(now, floor)),
    isResuming,
  };
}

/**
 * The next slot, from the CronJob alone: for a pass that could not see more.
 * @returns `undefined` when nothing will be started.
 */
export function nextSlotOf(cronJob: CronJob, now: Date): Date | undefined {
  const { since } = effectiveScheduleOf(cronJob, now);
  const { schedule, timeZone } = cronJob.spec;
  return nextSlot(cronJob, parseSchedule(schedule, { timeZone, anchor: since }), latest(now, since)).next;
}

interface Facts {
  readonly cronJob: CronJob;
  readonly runs: readonly Run[];
  readonly parsed: ParsedSchedule;
  readonly floor: Date;
  readonly runNow: RunNow;
  /** When both a run by hand and a slot are due. */
  readonly isScheduleFirst: boolean;
}

function decide({ cronJob, runs, parsed, floor, runNow, isScheduleFirst }: Facts, now: Date): Outcome {
  const { spec } = cronJob;
  const isBlocked = mustWait(cronJob, runs);
  const replaces = spec.concurrencyPolicy === 'Replace' ? activeJobs(runs).filter((job) => !isBeingDeleted(job)) : [];
  const isLive = parsed.kind === 'ok' && !spec.suspend;
  const due = isLive ? dueSlots(parsed.schedule, floor, { spec, now }) : NOTHING_DUE;
  const { newest: slot, count } = due.unmet;

  if (isBeingDeleted(cronJob)) return { kind: 'Deleting' };
  const mustYield = slot !== undefined && isScheduleFirst;
  if (runNow.kind === 'Due' && !isBlocked && !mustYield) {
    return { kind: 'RunNow', value: runNow.value, job: runNowJob(cronJob, runNow.value), replaces };
  }
  if (parsed.kind === 'invalid') return { kind: 'InvalidSchedule' };
  if (spec.suspend) return { kind: 'Suspended' };
  if (count > MAX_MISSED_SLOTS) return { kind: 'TooManyMissed', due };
  if (slot === undefined) return { kind: 'NothingDue', due };
  if (isBlocked) return { kind: 'Blocked', slot, due };
  return { kind: 'Run', slot, job: slotJob(cronJob, slot), replaces, due };
}

function mustWait({ spec }: CronJob, runs: readonly Run[]): boolean {
  return spec.concurrencyPolicy === 'Forbid' && activeJobs(runs).length > 0;
}

function activeJobs(runs: readonly Run[]): readonly Job[] {
  return runs.filter(({ state }) => state === 'Active').map(({ job }) => job);
}

function waitingJobs(
  cronJob: CronJob,
  { runs, runNow, outcome }: Pick<Plan, 'runs' | 'runNow' | 'outcome'>,
): readonly string[] {
  const isRunNowWaiting = runNow.kind === 'Due' && !isBeingDeleted(cronJob) && mustWait(cronJob, runs);
  return [
    ...(isRunNowWaiting ? [runNow.jobName] : []),
    ...(outcome.kind === 'Blocked' ? [slotJobName(cronJob, outcome.slot)] : []),
  ];
}

/**
 * Slots at or before the floor are settled. It rises with what the status says and with what the Jobs prove: a Job of a
 * slot, whatever its state, means the slot was handled, even when the status that should say so was never written.
 */
function floorOf(
  { cronJob: { status = {} }, unstored = {} }: Observed,
  runs: readonly Run[],
  { since, now }: { since: Date; now: Date },
): Date {
  const handled = runs.map((run) => run.slot).filter((slot) => slot !== undefined && slot <= now);
  const said = [status.lastScheduleTime, status.handledThrough, unstored.lastScheduleTime].map(parseTime);
  return latest(since, ...said, ...handled);
}

/** With a deadline of 0 every run is too late from the start. */
function nextSlot({ metadata, spec }: CronJob, parsed: ParsedSchedule, after: Date): { next?: Date } {
  const isStopped = metadata.deletionTimestamp !== undefined || spec.suspend || deadlineMs(spec) === 0;
  if (isStopped || parsed.kind === 'invalid') return {};
  const next = parsed.schedule.next(after);
  return next === undefined || next > LAST_TIME ? {} : { next };
}

/** The API knows years of four digits. */
const LAST_TIME = new Date('9999-12-31T23:59:59Z');

function isBeingDeleted({ metadata }: CronJob | Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}
