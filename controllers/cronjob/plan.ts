/**
 * What to do about a CronJob now. The order of the guards in `decide` is the specification of a pass; a new outcome does
 * not compile until its event, its requeue and its log line are answered for in `settle.ts` and `events.ts`.
 */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import { unmetSlots } from '../../api/v1/schedule/unmet-slots.ts';
import { parseSchedule, type Schedule } from '../../api/v1/schedule.ts';
import { type EffectiveSchedule, effectiveScheduleOf } from './effective-schedule.ts';
import { jobsToPrune } from './history.ts';
import { jobFor } from './job.ts';
import { latest, type Observed, parseTime, type Run, runOf } from './observed.ts';

/** The one thing a pass decided about starting a run. */
export type Outcome =
  /** The CronJob is on its way out: nothing is started. */
  | { readonly kind: 'Deleting' }
  | { readonly kind: 'Suspended' }
  | {
      readonly kind: 'InvalidSchedule';
      readonly reason: 'UnparseableSchedule' | 'UnknownTimeZone';
      readonly message: string;
    }
  | { readonly kind: 'NothingDue'; readonly schedule: Schedule }
  /** So many slots went by unmet that nobody can tell what should be made up for. */
  | { readonly kind: 'TooManyMissed'; readonly schedule: Schedule }
  /** A slot is due, and concurrencyPolicy Forbid makes it wait for the runs that are active. */
  | { readonly kind: 'Blocked'; readonly schedule: Schedule; readonly slot: Date; readonly slotBefore?: Date }
  /** A slot is due and is started, after the runs it replaces have been deleted. */
  | {
      readonly kind: 'Run';
      readonly schedule: Schedule;
      readonly slot: Date;
      /** The unmet slot before it, if any: passed over for good. */
      readonly slotBefore?: Date;
      readonly job: NewJob;
      readonly replaces: readonly Job[];
    };

export interface Plan {
  readonly outcome: Outcome;
  readonly runs: readonly Run[];
  /** Finished Jobs beyond the history limits. */
  readonly prune: readonly Job[];
  readonly effectiveSchedule: EffectiveSchedule;
}

/** Decides everything a pass does, from what it saw and the one time it read the clock. */
export function plan(observed: Observed, now: Date): Plan {
  const { cronJob } = observed;
  const runs = observed.jobs.map(runOf);
  const effectiveSchedule = effectiveScheduleOf(cronJob, now);
  return {
    outcome: decide(observed, runs, effectiveSchedule, now),
    runs,
    prune: jobsToPrune(cronJob, runs),
    effectiveSchedule,
  };
}

function decide({ cronJob }: Observed, runs: readonly Run[], effective: EffectiveSchedule, now: Date): Outcome {
  const { metadata, spec } = cronJob;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'Deleting' };
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone, anchor: effective.since });
  if (parsed.kind === 'invalid') return { kind: 'InvalidSchedule', reason: parsed.reason, message: parsed.message };
  if (spec.suspend) return { kind: 'Suspended' };

  const { schedule } = parsed;
  const floor = floorOf(cronJob, runs, effective, now);
  const { newest: slot, before: slotBefore, count } = unmetSlots(schedule, floor, now, MAX_MISSED_SLOTS + 1);
  if (count > MAX_MISSED_SLOTS) return { kind: 'TooManyMissed', schedule };
  if (slot === undefined) return { kind: 'NothingDue', schedule };

  const due = { schedule, slot, ...(slotBefore === undefined ? {} : { slotBefore }) };
  const active = runs.filter((run) => run.state === 'Active');
  if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) return { kind: 'Blocked', ...due };
  const replaces = spec.concurrencyPolicy === 'Replace' ? active.map((run) => run.job).filter(isNotBeingDeleted) : [];
  return { kind: 'Run', ...due, job: jobFor(cronJob, slot), replaces };
}

/**
 * Slots at or before the floor are settled. It rises with what the status says and with what the Jobs prove: a Job of a
 * slot, whatever its state, means the slot was handled, even when the status that should say so was never written.
 */
function floorOf(
  { spec, status = {} }: Observed['cronJob'],
  runs: readonly Run[],
  effective: EffectiveSchedule,
  now: Date,
): Date {
  const { startingDeadlineSeconds } = spec;
  const oldestInTime =
    startingDeadlineSeconds === undefined ? undefined : new Date(now.getTime() - startingDeadlineSeconds * 1000);
  const handled = runs.map((run) => run.slot).filter((slot) => slot !== undefined && slot <= now);
  const stored = [parseTime(status.lastScheduleTime), parseTime(status.handledThrough)];
  return latest(effective.since, oldestInTime, ...stored, ...handled) ?? effective.since;
}

function isNotBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp === undefined;
}
