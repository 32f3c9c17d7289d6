/** What a pass does. The order of the guards in `decide` is the specification. Next: conclude.ts. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import { slotJobName } from '../../api/v1/job-names.ts';
import type { Facts } from './facts.ts';
import { lastSuccessOf, runNowJob, slotJob } from './job.ts';

/**
 * What a pass decides about starting a run. A new decision compiles only when it has a log level (below) and an answer to what becomes of the
 * due slots (slot-outcome.ts).
 */
export type Decision =
  /** The CronJob is being deleted: nothing is started. */
  | { readonly kind: 'Deleting' }
  /** Some Jobs could not be read: nothing is started before they are known. */
  | { readonly kind: 'JobsUnknown' }
  /** A manual run is started. A slot that is due is left to the next pass, which follows at once. */
  | { readonly kind: 'RunNow'; readonly value: string; readonly job: NewJob; readonly replaces: readonly Job[] }
  | { readonly kind: 'InvalidSchedule' }
  | { readonly kind: 'Suspended' }
  /** Too many runs in a row have failed: no slot starts. */
  | { readonly kind: 'Paused' }
  /** More slots are unmet than {@link MAX_MISSED_SLOTS}: none of them starts. */
  | { readonly kind: 'TooManyMissed' }
  | { readonly kind: 'NothingDue' }
  /** A slot is due, and waits for the active runs to finish (concurrencyPolicy Forbid). */
  | { readonly kind: 'Blocked'; readonly slot: Date }
  /**
   * A run is due, and would replace one that no stored status knows of: without its Job, a crash would lose the proof that it ran. The
   * status records it, and the next pass starts what is due.
   */
  | { readonly kind: 'RecordFirst' }
  /** A slot is due, and its run is started after the runs that it replaces are deleted. */
  | { readonly kind: 'Run'; readonly slot: Date; readonly job: NewJob; readonly replaces: readonly Job[] };

type Guard = (facts: Facts) => Decision | undefined;

/** The guards, in the order of the specification. */
const GUARDS: readonly Guard[] = [
  ({ isDeleting }) => (isDeleting ? { kind: 'Deleting' } : undefined),
  ({ isIncomplete }) => (isIncomplete ? { kind: 'JobsUnknown' } : undefined),
  manualRun,
  ({ parsed }) => (parsed.kind === 'invalid' ? { kind: 'InvalidSchedule' } : undefined),
  ({ isSuspended }) => (isSuspended ? { kind: 'Suspended' } : undefined),
  ({ pause }) => (pause.kind === 'Paused' ? { kind: 'Paused' } : undefined),
  ({ due }) => (due.unmet.count > MAX_MISSED_SLOTS ? { kind: 'TooManyMissed' } : undefined),
  scheduledRun,
];

/** Chooses the decision: that of the first guard that holds. */
export function decide(facts: Facts): Decision {
  for (const guard of GUARDS) {
    const decision = guard(facts);
    if (decision !== undefined) return decision;
  }
  return { kind: 'NothingDue' };
}

function manualRun(facts: Facts): Decision | undefined {
  const { cronJob, runNow, mustWait, replaceable: replaces } = facts;
  if (runNow.kind !== 'Due' || mustWait || givesWayToSlot(runNow.jobName, facts)) return undefined;
  if (mustRecordFirst(facts)) return { kind: 'RecordFirst' };
  const { value } = runNow;
  return { kind: 'RunNow', value, job: runNowJob(cronJob, value, lastSuccessOf(facts)), replaces };
}

function scheduledRun(facts: Facts): Decision | undefined {
  const { cronJob, due, mustWait, replaceable: replaces } = facts;
  const { newest: slot } = due.unmet;
  if (slot === undefined) return undefined;
  if (mustWait) return { kind: 'Blocked', slot };
  if (mustRecordFirst(facts)) return { kind: 'RecordFirst' };
  return { kind: 'Run', slot, job: slotJob(cronJob, slot, lastSuccessOf(facts)), replaces };
}

/**
 * Whether a manual run lets a slot that is due start first. A manual run that could not be started must not delay the schedule. After
 * `suspend` is lifted, only the first pass knows that earlier slots were skipped on purpose, so that pass must handle them.
 */
function givesWayToSlot(jobName: string, { due, isResuming, failedJobs }: Facts): boolean {
  return due.unmet.newest !== undefined && (isResuming || failedJobs.includes(jobName));
}

/**
 * Not in the first pass after `suspend` is lifted, which has to handle earlier slots.
 */
function mustRecordFirst({ replacesUnrecorded, isResuming }: Facts): boolean {
  return replacesUnrecorded && !isResuming;
}

/** Names of the Jobs that are due and wait for the active ones to finish (concurrencyPolicy Forbid). */
export function waitingJobs({ cronJob, runNow, mustWait, isDeleting }: Facts, decision: Decision): readonly string[] {
  return [
    ...(runNow.kind === 'Due' && mustWait && !isDeleting ? [runNow.jobName] : []),
    ...(decision.kind === 'Blocked' ? [slotJobName(cronJob, decision.slot)] : []),
  ];
}

/** The log level of each decision. Mostly debug, because events are logged too and say what came of it. */
export const LOG_LEVEL_OF = {
  Deleting: 'debug',
  JobsUnknown: 'debug',
  RunNow: 'debug',
  InvalidSchedule: 'debug',
  Suspended: 'debug',
  Paused: 'debug',
  TooManyMissed: 'info',
  NothingDue: 'debug',
  Blocked: 'debug',
  RecordFirst: 'debug',
  Run: 'debug',
} as const satisfies Readonly<Record<Decision['kind'], 'info' | 'debug'>>;
