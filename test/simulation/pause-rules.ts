/** When a schedule is paused because its runs fail, and what ends the pause. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { GENERATION_ANNOTATION, RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun, type RecentRun } from '../../api/v1/recent-lines.ts';
import {
  findBrokenRules,
  getEnding,
  getListLimit,
  getSlot,
  isBackfill,
  isManual,
  isSameInstant,
  parseInstant,
  truncateToSeconds,
} from './facts.ts';
import type { ObservedStatusWrite } from './handled-rules.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import type { RunRecord } from './run-book.ts';

/** A result that no status had recorded before. */
interface NewResult {
  readonly kind: 'Succeeded' | 'Failed';
  /** Empty when the time was not set. */
  readonly at: string;
  readonly job: Job;
}

export function checkPause(write: ObservedStatusWrite): readonly string[] {
  const { base, status } = write;
  const resume = base.metadata.annotations?.[RESUME_ANNOTATION];
  return [
    ...findBrokenRules({
      'lastResume is the last value of the annotation': status.lastResume === (resume ?? base.status?.lastResume),
    }),
    ...checkFailureCount(write),
    ...checkPausedState(write),
  ];
}

function checkFailureCount({ base, status, ledger }: ObservedStatusWrite): readonly string[] {
  const limit = base.spec.pauseAfterFailures;
  const count = status.consecutiveFailures;
  if (limit === undefined)
    return findBrokenRules({ 'failures are not counted without pauseAfterFailures': count === undefined });
  const results = ledger.book.hasRoomForResults(status, base) ? findNewResults(base.status, status, ledger) : undefined;
  if (results === undefined) return [];
  const expected = computeFailureCounts(base, results, findPauseEndCause(base, results));
  return findBrokenRules({
    [`consecutiveFailures is ${[...new Set(expected)].join(' or ')}, not ${count}`]:
      count !== undefined && expected.includes(count),
  });
}

function checkPausedState({ base, status, ledger, now, reportEffect }: ObservedStatusWrite): readonly string[] {
  const before = base.status?.paused;
  const after = status.paused;
  const limit = base.spec.pauseAfterFailures;
  const isFull = limit !== undefined && (status.consecutiveFailures ?? 0) >= limit;
  if (before === undefined) {
    if (after !== undefined) reportEffect('paused');
    return findBrokenRules({
      'a schedule is paused exactly when enough runs have failed': (after !== undefined) === isFull,
      'a pause begins at the time of the reconcile':
        after === undefined || isSameInstant(parseInstant(after.since), truncateToSeconds(now)),
    });
  }
  const results = findNewResults(base.status, status, ledger);
  const cause = findPauseEndCause(base, results);
  if (after !== undefined) {
    const isHidden = !ledger.book.hasRoomForResults(status, base);
    return findBrokenRules({
      [`a pause ends with ${cause}`]: cause === undefined || (isHidden && cause === 'manual run'),
      'a pause keeps its begin': after.since === before.since,
    });
  }
  if (cause !== undefined) reportEffect(`resumed by ${cause}`);
  const through = parseInstant(status.handledThrough);
  return findBrokenRules({
    'a pause ends only for a reason': cause !== undefined || !ledger.book.hasRoomForResults(status, base),
    'slots of a pause are not made up for': isSettledThrough(through, ledger),
  });
}

function isSettledThrough(through: Date | undefined, ledger: Ledger): boolean {
  return through !== undefined && (ledger.wasSkewed || through >= truncateToSeconds(ledger.pausedUntil));
}

type PauseEndCause = 'resume' | 'edit' | 'manual run';

/** The event that ends a pause, or resets the count. */
function findPauseEndCause(base: CronJob, results: readonly NewResult[]): PauseEndCause | undefined {
  const { metadata, status } = base;
  if (status?.observedGeneration === undefined) return undefined;
  const resume = metadata.annotations?.[RESUME_ANNOTATION];
  if (resume !== undefined && resume !== status.lastResume) return 'resume';
  if (status.observedGeneration !== metadata.generation) return 'edit';
  return results.some(({ kind, job }) => kind === 'Succeeded' && isManual(job)) ? 'manual run' : undefined;
}

/** More than one count when the order of two results is unknown. */
function computeFailureCounts(
  base: CronJob,
  results: readonly NewResult[],
  cause: PauseEndCause | undefined,
): readonly number[] {
  if (cause === 'resume') return [0];
  const before = cause === undefined ? (base.status?.consecutiveFailures ?? 0) : 0;
  const counts = [results, results.toReversed()].map((each) =>
    each
      .toSorted((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)))
      .filter(({ job }) => !isBackfill(job))
      .reduce((count, { kind, job }) => (kind === 'Succeeded' ? 0 : count + Number(isCounted(job, base))), before),
  );
  return counts;
}

/** Whether the run belongs to a slot, and was created from the current spec. */
function isCounted(job: Job, { metadata }: CronJob): boolean {
  return getSlot(job) !== undefined && job.metadata.annotations?.[GENERATION_ANNOTATION] === `${metadata.generation}`;
}

/** According to the lists of runs. */
function findNewResults(before: CronJobStatus | undefined, after: CronJobStatus, ledger: Ledger): readonly NewResult[] {
  const earlier = new Set(listFinishedRuns(before).map(({ jobName }) => jobName));
  return listFinishedRuns(after)
    .filter(({ jobName }) => !earlier.has(jobName))
    .flatMap(({ jobName, createdTime }) => {
      const records = ledger.book.listByName(jobName);
      // A run whose first Job is gone has two.
      const isListed = (each: RunRecord) =>
        isSameInstant(parseInstant(each.job.metadata.creationTimestamp), createdTime);
      const { job } = records.find(isListed) ?? records.at(-1) ?? {};
      const ending = job && ledger.book.getEnding(job);
      return job && ending && ending.kind !== 'Active' ? [{ ...ending, job }] : [];
    });
}

function listFinishedRuns(status: CronJobStatus = {}): readonly RecentRun[] {
  return listRunsWithResult(['Succeeded', 'Failed'], status);
}

function listRunsWithResult(results: readonly string[], { recentRuns = [] }: CronJobStatus): readonly RecentRun[] {
  return recentRuns
    .map(parseRecentRun)
    .filter((run) => run !== undefined)
    .filter(({ result }) => results.includes(result));
}

/** Rules for a slot that is about to start. */
interface ScheduledStart {
  readonly view: CronJob;
  readonly observed: ObservedReconcile;
  readonly ledger: Ledger;
  readonly slot: Date;
}

export function checkStartWhilePaused({ view, observed, ledger, slot }: ScheduledStart): readonly string[] {
  const { status = {}, spec } = view;
  // A replaced run may fail when a client holds on to its Job: it remains a replaced run.
  const listed = new Set(listRunsWithResult(['Succeeded', 'Failed', 'Replaced'], status).map(({ jobName }) => jobName));
  const results = [...observed.jobs.values()].flatMap((job) => {
    const ending = getEnding(job);
    return ending.kind === 'Active' || listed.has(job.metadata.name) ? [] : [{ ...ending, job }];
  });
  const limit = spec.pauseAfterFailures;
  const hasPauseEnded =
    limit === undefined || findPauseEndCause(view, results) !== undefined || ledger.book.hasManualSuccess(listed);
  const isWhole = getListLimit(view) > (status.recentRuns?.length ?? 0);
  const counts =
    limit === undefined || !isWhole ? [0] : computeFailureCounts(view, results, findPauseEndCause(view, results));
  return findBrokenRules({
    'no slot starts while paused': status.paused === undefined || hasPauseEnded,
    'no slot starts after so many failed runs': limit === undefined || Math.min(...counts) < limit,
    'no slot from the time of a pause starts': ledger.wasSkewed || slot > ledger.pausedUntil,
  });
}
