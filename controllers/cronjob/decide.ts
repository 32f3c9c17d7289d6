/** What to do about a CronJob now. The order of the guards in `decide` is the specification of a pass. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { Facts } from './facts.ts';
import { runNowJob, slotJob, slotJobName } from './job.ts';

/**
 * The one thing that a pass decides about starting a run. A new one does not compile until it is said what it settles (status.ts),
 * which slots were passed over (applied.ts), what people are told (events.ts), when to look again (settle.ts) and how loud the log is.
 */
export type Decision =
  /** The CronJob is on its way out: nothing is started. */
  | { readonly kind: 'Deleting' }
  /** A run was asked for by hand and is started. What the schedule wants, the next pass sees to, at once. */
  | { readonly kind: 'RunNow'; readonly value: string; readonly job: NewJob; readonly replaces: readonly Job[] }
  | { readonly kind: 'InvalidSchedule' }
  | { readonly kind: 'Suspended' }
  /** So many slots went by unmet that nobody can tell which should run late. */
  | { readonly kind: 'TooManyMissed' }
  | { readonly kind: 'NothingDue' }
  /** A slot is due, and concurrencyPolicy Forbid makes it wait for the runs that are active. */
  | { readonly kind: 'Blocked'; readonly slot: Date }
  /** A slot is due and is started, after the runs it replaces have been deleted. */
  | { readonly kind: 'Run'; readonly slot: Date; readonly job: NewJob; readonly replaces: readonly Job[] };

export function decide(facts: Facts): Decision {
  const { cronJob, parsed, due, runNow, mustWait, replaceable: replaces } = facts;
  const { newest: slot, count } = due.unmet;

  if (facts.isDeleting) return { kind: 'Deleting' };
  if (runNow.kind === 'Due' && !mustWait && !givesWay(runNow.jobName, facts)) {
    return { kind: 'RunNow', value: runNow.value, job: runNowJob(cronJob, runNow.value), replaces };
  }
  if (parsed.kind === 'invalid') return { kind: 'InvalidSchedule' };
  if (cronJob.spec.suspend) return { kind: 'Suspended' };
  if (count > MAX_MISSED_SLOTS) return { kind: 'TooManyMissed' };
  if (slot === undefined) return { kind: 'NothingDue' };
  if (mustWait) return { kind: 'Blocked', slot };
  return { kind: 'Run', slot, job: slotJob(cronJob, slot), replaces };
}

/**
 * Whether a run by hand lets a slot that is due go first. One that could not be started must not hold up the schedule, and none may
 * take the place of the pass that knows why slots were skipped.
 */
function givesWay(jobName: string, { due, isResuming, memory }: Facts): boolean {
  return due.unmet.newest !== undefined && (isResuming || memory.failed.has(jobName));
}

/** Names of the Jobs that are due and wait, because concurrencyPolicy is Forbid, for the active ones to end. */
export function waitingJobs({ cronJob, runNow, mustWait, isDeleting }: Facts, decision: Decision): readonly string[] {
  return [
    ...(runNow.kind === 'Due' && mustWait && !isDeleting ? [runNow.jobName] : []),
    ...(decision.kind === 'Blocked' ? [slotJobName(cronJob, decision.slot)] : []),
  ];
}

/** How loud the log is about a decision. Events, which are logged too, tell of what comes of most. */
export const LOG_LEVEL_OF = {
  Deleting: 'debug',
  RunNow: 'debug',
  InvalidSchedule: 'debug',
  Suspended: 'debug',
  TooManyMissed: 'info',
  NothingDue: 'debug',
  Blocked: 'debug',
  Run: 'debug',
} as const satisfies Readonly<Record<Decision['kind'], 'info' | 'debug'>>;
