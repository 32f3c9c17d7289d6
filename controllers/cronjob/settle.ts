/** The last step of the core: from facts, decision and results, the status to store, the events to send, and the time of the next pass. */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type Applied, type PassedOver, type StartResult, type StatusWrite, slotsPassedOver } from './applied.ts';
import { type Decision, waitingJobs } from './decide.ts';
import { type CronJobEvent, eventsOfActions, eventsOfMissedSlots, eventsOfTransitions } from './events.ts';
import {
  type Facts,
  type Memory,
  NO_MEMORY,
  nextSlotOf,
  rememberJobs,
  UNSTORED_FIELDS,
  type Unstored,
} from './facts.ts';
import { jobsToPrune } from './history.ts';
import { shownFault } from './reported.ts';
import { deadlineMs } from './slots.ts';
import { statusAfter } from './status.ts';

/** What is left to do after the decision was carried out. */
export interface Settled {
  readonly status: CronJobStatus;
  /** Whether the status may be left to the next pass, which computes it anew. Not that of a failed start: that pass would try again. */
  readonly canWait: boolean;
  /** What was done, and what the Job of the run proves. Told whatever becomes of the status. */
  readonly atOnce: Told;
  /** What was seen for the first time. Told once `status`, which remembers it, is stored. */
  readonly onceStored: Told;
  /** The Jobs that were deleted to be replaced. */
  readonly replaced: readonly Job[];
  /** For {@link Memory.failed}. */
  readonly failed: ReadonlySet<string>;
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  readonly unfinished: Unfinished;
}

/** What people are told: events to send, and slots to count. */
export interface Told {
  readonly events: readonly CronJobEvent[];
  readonly passedOver: readonly PassedOver[];
}

const NOTHING_TOLD: Told = { events: [], passedOver: [] };

/** What a pass left undone, for a next pass before `requeueAfterMs`. */
export type Unfinished =
  | { readonly kind: 'Nothing' }
  /** The run could not be started. Next pass with back-off, and not before `retryAfterMs`, if the API server asked for a wait. */
  | { readonly kind: 'FailedStart'; readonly retryAfterMs?: number }
  /** A manual run gave way to a slot. Next pass with back-off, because the manual run may have failed before. */
  | { readonly kind: 'RunNow' }
  /** A manual run was started, and a slot may be due as well. Next pass at once. */
  | { readonly kind: 'Schedule' };

/** Computes what is left to do. */
export function settle(facts: Facts, decision: Decision, applied: Applied): Settled {
  const { started } = applied;
  const status = statusAfter(facts, decision, applied);
  const wakeAt = wakeUpAfter(facts, decision, { started, status });
  const hasJob = 'job' in started;
  const transitions = eventsOfTransitions(facts, decision, { started, status });
  const slots = hasJob ? NOTHING_TOLD : toldOfSlots(facts, decision, started);
  return {
    status,
    canWait: hasJob || started.kind === 'None',
    atOnce: hasJob ? toldByJob(facts, decision, applied) : { ...NOTHING_TOLD, events: eventsOfActions(applied) },
    onceStored: { ...slots, events: [...transitions, ...slots.events] },
    replaced: applied.replaced,
    failed: failedAfter(facts, decision, started),
    ...requeueAfterMs(wakeAt, facts.now),
    unfinished: unfinishedAfter(facts, decision, started),
  };
}

/** What a pass has done and what the Job that it started proves. */
export function toldByJob(facts: Facts, decision: Decision, applied: Applied): Told {
  const slots = toldOfSlots(facts, decision, applied.started);
  return { ...slots, events: [...eventsOfActions(applied), ...slots.events] };
}

function toldOfSlots(facts: Facts, decision: Decision, started: StartResult): Told {
  return { events: eventsOfMissedSlots(facts, decision), passedOver: slotsPassedOver(facts, decision, started) };
}

/** What is left to do after the status was written, or could not be. */
export interface Remaining extends Told {
  /** Finished Jobs to delete, oldest first. */
  readonly prune: readonly Job[];
  /** Whether the deletes may be left to the next pass. */
  readonly canPruneLater: boolean;
  /** For the next pass; `undefined` when there is nothing to remember. */
  readonly memory: Memory | undefined;
}

const NOTHING_LEFT = { ...NOTHING_TOLD, prune: [], canPruneLater: false };
/** More are deleted at once: while each pass of a busy controller has a status to write, none would be the next. */
const MAX_PRUNED_LATER = 5;

/** Only a stored status remembers what was reported, so events wait for it; and only with its proof may Jobs be deleted. */
export function afterStatusWrite(facts: Facts, settled: Settled, write: StatusWrite): Remaining {
  const { cronJob, runs } = facts;
  const { status, onceStored, failed } = settled;
  switch (write.kind) {
    case 'Gone':
      return { ...NOTHING_LEFT, memory: undefined };
    case 'Stored': {
      const memory = failed.size === 0 ? undefined : { ...NO_MEMORY, uid: cronJob.metadata.uid, failed };
      const prune = jobsToPrune({ ...cronJob, status: write.status }, runs, status);
      const canPruneLater = write.isNew && prune.length > 0 && prune.length <= MAX_PRUNED_LATER;
      return { ...onceStored, prune, canPruneLater, memory };
    }
    case 'Failed': {
      const prune = jobsToPrune({ ...cronJob, status: write.status }, runs, write.status);
      return { ...NOTHING_LEFT, prune, memory: memoryOfUnstored(facts, settled, write.status) };
    }
    case 'Postponed':
      return { ...NOTHING_LEFT, memory: memoryOfUnstored(facts, settled, write.status) };
  }
}

/** When the next pass comes, as `reconcile` returns it. */
export interface Requeue {
  /** Wait before the next pass, in milliseconds; never negative. Without it the CronJob sleeps until an event arrives. */
  readonly requeueAfterMs?: number;
  /** Whether a pass with back-off comes as well, if it is earlier. */
  readonly retry: boolean;
  /** With `retry`: the server asked for at least this wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** With which priority in the queue another pass comes, if one comes at once. */
  readonly requeue?: 'normal' | 'low';
}

/**
 * When the next pass comes. Each part that failed has its own back-off, and none delays the next slot.
 * @param backOffsMs The remaining back-off of each part, in milliseconds; `undefined` for a part that has nothing to retry.
 * @param prunesLater Whether the deletes were left to the next pass.
 */
export function requeueAfterPass(
  { requeueAfterMs: nextMs, unfinished }: Pick<Settled, 'requeueAfterMs' | 'unfinished'>,
  write: StatusWrite,
  backOffsMs: readonly (number | undefined)[],
  prunesLater = false,
): Requeue {
  const requeue = requeueAtOnce(unfinished, write, prunesLater);
  const waits = [nextMs, ...backOffsMs.map((backOffMs) => waitFor(backOffMs, requeue))];
  const first = Math.min(...waits.filter((wait) => wait !== undefined));
  return {
    ...(first !== Number.POSITIVE_INFINITY && { requeueAfterMs: first }),
    retry: unfinished.kind === 'FailedStart' || unfinished.kind === 'RunNow',
    ...('retryAfterMs' in unfinished && { retryAfterMs: unfinished.retryAfterMs }),
    ...(requeue && { requeue }),
  };
}

function requeueAtOnce(unfinished: Unfinished, { kind }: StatusWrite, prunesLater: boolean): Requeue['requeue'] {
  if (unfinished.kind === 'Schedule' && kind !== 'Gone') return 'normal';
  return kind === 'Postponed' || prunesLater ? 'low' : undefined;
}

/** A back-off that is over is left to the pass that comes at once. No wait is 0: that would void the wake-up for the next slot. */
function waitFor(backOffMs: number | undefined, requeue: Requeue['requeue']): number | undefined {
  if (backOffMs === 0 && requeue !== undefined) return undefined;
  return backOffMs === undefined ? undefined : Math.max(backOffMs, 1);
}

/** Wait after a pass that failed before it read the Jobs, in milliseconds; `undefined` when no run will ever start. */
export function requeueAfterFailureMs(cronJob: CronJob, now: Date): number | undefined {
  const next = nextSlotOf(cronJob, now);
  return next && untilMs(next, now);
}

/** A wake-up comes this much after the slot, so that the clock has certainly passed it. */
export const SCHEDULE_SLACK_MS = 2;

/** The field of {@link Requeue} for a next pass at `instant`, if there is one. */
export function requeueAfterMs(instant: Date | undefined, now: Date): Pick<Requeue, 'requeueAfterMs'> {
  return instant === undefined ? {} : { requeueAfterMs: untilMs(instant, now) };
}

function untilMs(instant: Date, now: Date): number {
  return Math.max(0, instant.getTime() - now.getTime()) + SCHEDULE_SLACK_MS;
}

interface Outcome {
  readonly started: StartResult;
  readonly status: CronJobStatus;
}

/** The time of the next pass, if no watch event comes before. */
function wakeUpAfter(facts: Facts, decision: Decision, { started, status }: Outcome): Date | undefined {
  if (isNamespaceTerminating(started)) return undefined;
  const [first] = [facts.next, givenUpAt(facts, decision, started), skewCheckAt(facts, status)]
    .filter((time) => time !== undefined)
    .toSorted((left, right) => left.getTime() - right.getTime());
  return first;
}

function isNamespaceTerminating(started: StartResult): boolean {
  return started.kind === 'Failed' && started.failure.kind === 'NamespaceTerminating';
}

/** When the deadline of a waiting slot passes: a pass must then record it as missed. */
function givenUpAt({ cronJob: { spec } }: Facts, decision: Decision, started: StartResult): Date | undefined {
  switch (decision.kind) {
    case 'Deleting':
    case 'RunNow':
    case 'InvalidSchedule':
    case 'Suspended':
    case 'TooManyMissed':
    case 'NothingDue':
      return undefined;
    case 'Blocked':
      return deadlineOf(decision.slot, spec);
    case 'Run':
      return started.kind === 'Failed' ? deadlineOf(decision.slot, spec) : undefined;
  }
}

function deadlineOf(slot: Date, spec: CronJob['spec']): Date | undefined {
  const deadline = deadlineMs(spec);
  return deadline === undefined ? undefined : new Date(slot.getTime() + deadline);
}

const SKEW_CHECK_MS = 60_000;

/** The clock may be corrected, or somebody may fix the status. No watch event starts a pass for either. */
function skewCheckAt({ now }: Facts, status: CronJobStatus): Date | undefined {
  return shownFault(status)?.fault === 'ClockSkew' ? new Date(now.getTime() + SKEW_CHECK_MS) : undefined;
}

function unfinishedAfter(facts: Facts, decision: Decision, started: StartResult): Unfinished {
  if (isNamespaceTerminating(started)) return { kind: 'Nothing' };
  if (started.kind === 'Failed') {
    const { retryAfterMs } = started.failure;
    return { kind: 'FailedStart', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (decision.kind === 'RunNow') return { kind: 'Schedule' };
  return hasRunNowGivenWay(facts, decision) ? { kind: 'RunNow' } : { kind: 'Nothing' };
}

/** A manual run that waits for active runs has not given way: their end starts a pass. */
function hasRunNowGivenWay(facts: Facts, decision: Decision): boolean {
  const { runNow, isDeleting } = facts;
  return runNow.kind === 'Due' && !isDeleting && !waitingJobs(facts, decision).includes(runNow.jobName);
}

/** Names of Jobs that could not be started, including this pass. */
export function failedAfter({ memory }: Facts, decision: Decision, started: StartResult): ReadonlySet<string> {
  if (!('job' in decision)) return memory.failed;
  const { name } = decision.job.metadata;
  // A manual run and a slot may fail in turns; older failures no longer matter.
  const other = [...memory.failed].filter((jobName) => jobName !== name).slice(-1);
  return new Set(started.kind === 'Failed' ? [...other, name] : other);
}

/** The memory after a pass whose status is not stored; `undefined` when there is nothing to remember. */
function memoryOfUnstored(facts: Facts, settled: Settled, stored: CronJobStatus): Memory | undefined {
  const { status, failed } = settled;
  const { active = [] } = status;
  const jobs = rememberJobs(facts, { active, replaced: settled.replaced });
  const unstored = unstoredOf(status, stored);
  const isEmpty = jobs.unrecorded.length + jobs.replaced.size + failed.size + Object.keys(unstored).length === 0;
  return isEmpty ? undefined : { uid: facts.cronJob.metadata.uid, ...jobs, failed, unstored };
}

/** The fields of `status`, which could not be stored, that differ from the stored one. */
export function unstoredOf(status: CronJobStatus, stored: CronJobStatus): Unstored {
  return Object.fromEntries(
    UNSTORED_FIELDS.filter(
      (field) => status[field] !== undefined && !isDeepStrictEqual(status[field], stored[field]),
    ).map((field) => [field, status[field]]),
  );
}
