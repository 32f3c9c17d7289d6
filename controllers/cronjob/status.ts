/** The status as a value, computed from what a pass saw and did. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobStatus, LastRun, ObjectReference } from '../../api/v1/cronjob-types.ts';
import type { Started } from './applied.ts';
import { formatTime, latest, type Observed, parseTime, type Run, runOf } from './observed.ts';
import type { Outcome, Plan } from './plan.ts';

/** The status after the pass. Fields that have no value are absent. */
export function statusAfter({ cronJob }: Observed, plan: Plan, started: Started, now: Date): CronJobStatus {
  const stored: CronJobStatus = cronJob.status ?? {};
  const runs = runsAfter(plan, started);
  const active = runs.filter((run) => run.state === 'Active').toSorted(byName);
  const { effectiveSchedule } = plan;
  return defined({
    ...stored,
    active: active.length === 0 ? undefined : active.map((run) => referenceTo(run.job)),
    activeCount: active.length,
    lastScheduleTime: format(
      latest(parseTime(stored.lastScheduleTime), startedSlot(plan.outcome, started), ...slots(runs, now)),
    ),
    lastSuccessfulTime: format(latest(parseTime(stored.lastSuccessfulTime), ...finishTimes(runs, 'Succeeded'))),
    lastFailureTime: format(latest(parseTime(stored.lastFailureTime), ...finishTimes(runs, 'Failed'))),
    nextScheduleTime: format(nextSlot(plan.outcome, now)),
    lastRun: lastRun(stored.lastRun, runs),
    effectiveSchedule: { ...effectiveSchedule, since: formatTime(effectiveSchedule.since) },
    handledThrough: format(latest(parseTime(stored.handledThrough), handledThrough(plan.outcome, started, now))),
    observedGeneration: cronJob.metadata.generation,
  });
}

/** The runs there are once the pass is over: Jobs that were replaced are gone or going, the one that was started is there. */
function runsAfter({ outcome, runs }: Plan, started: Started): readonly Run[] {
  switch (started.kind) {
    case 'None':
    case 'Failed':
      return runs;
    case 'Foreign':
      return withoutReplaced(outcome, runs);
    case 'Created':
    case 'Adopted': {
      const isKnown = runs.some((run) => run.job.metadata.uid === started.job.metadata.uid);
      return isKnown ? runs : [...withoutReplaced(outcome, runs), runOf(started.job)];
    }
  }
}

function withoutReplaced(outcome: Outcome, runs: readonly Run[]): readonly Run[] {
  return outcome.kind === 'Run' ? runs.filter((run) => !outcome.replaces.includes(run.job)) : runs;
}

/** The instant of the next run; absent when there is none to wait for. */
export function nextSlot(outcome: Outcome, now: Date): Date | undefined {
  switch (outcome.kind) {
    case 'Deleting':
    case 'Suspended':
    case 'InvalidSchedule':
      return undefined;
    case 'NothingDue':
    case 'TooManyMissed':
    case 'Blocked':
    case 'Run':
      return outcome.schedule.next(now);
  }
}

/** Only a Job that is ours proves that its slot ran; a failed create must not move lastScheduleTime. */
function startedSlot(outcome: Outcome, started: Started): Date | undefined {
  const isOurs = started.kind === 'Created' || started.kind === 'Adopted';
  return isOurs && outcome.kind === 'Run' ? outcome.slot : undefined;
}

/** Up to where slots are settled without having run. */
function handledThrough(outcome: Outcome, started: Started, now: Date): Date | undefined {
  if (outcome.kind === 'TooManyMissed') return now;
  if (outcome.kind === 'Blocked') return outcome.slotBefore;
  if (outcome.kind !== 'Run') return undefined;
  if (started.kind === 'Foreign') return outcome.slot;
  return started.kind === 'Failed' ? outcome.slotBefore : undefined;
}

/** The newest run by slot. What was stored stays when all newer Jobs are gone, with its result as far as it was seen. */
function lastRun(stored: LastRun | undefined, runs: readonly Run[]): LastRun | undefined {
  const newest = runs.reduce<Run | undefined>((best, run) => (best && !isNewer(run, best) ? best : run), undefined);
  const isStoredNewer =
    stored !== undefined &&
    (newest === undefined || (newest.slot?.getTime() ?? 0) < (parseTime(stored.scheduledTime)?.getTime() ?? 0));
  if (newest !== undefined && !isStoredNewer) return describe(newest);
  if (stored?.result !== 'Running') return stored;
  return { ...stored, result: 'Unknown', reason: 'JobDeleted' };
}

function isNewer(run: Run, than: Run): boolean {
  return (run.slot?.getTime() ?? 0) > (than.slot?.getTime() ?? 0);
}

function describe({ job, slot, state, finishedAt, failureReason }: Run): LastRun {
  return defined({
    jobName: job.metadata.name,
    scheduledTime: format(slot),
    startTime: job.status?.startTime,
    completionTime: format(finishedAt),
    result: state === 'Active' ? ('Running' as const) : state,
    reason: failureReason,
  });
}

function slots(runs: readonly Run[], now: Date): readonly (Date | undefined)[] {
  return runs.map((run) => run.slot).filter((slot) => slot !== undefined && slot <= now);
}

function finishTimes(runs: readonly Run[], state: Run['state']): readonly (Date | undefined)[] {
  return runs.filter((run) => run.state === state).map((run) => run.finishedAt);
}

function referenceTo({ apiVersion, kind, metadata: { namespace, name, uid } }: Job): ObjectReference {
  return { apiVersion, kind, namespace, name, uid };
}

function byName(left: Run, right: Run): number {
  return left.job.metadata.name < right.job.metadata.name ? -1 : 1;
}

function format(time: Date | undefined): string | undefined {
  return time && formatTime(time);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Drops fields whose value is undefined: on the wire they are not there, and a comparison must not see them. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
