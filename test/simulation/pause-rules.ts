/** When a schedule is paused because its runs fail, and what ends the pause. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { GENERATION_ANNOTATION, RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { broken, endingOf, instantOf, isManual, listLimitOf, sameInstant, slotOf, wholeSeconds } from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { Pass } from './pass.ts';
import type { StatusWrite } from './settled-rules.ts';

/** A result that no status had recorded before. */
interface Result {
  readonly kind: 'Succeeded' | 'Failed';
  /** Empty when the time was not set. */
  readonly at: string;
  readonly job: Job;
}

export function pausing(write: StatusWrite): readonly string[] {
  const { base, status } = write;
  const resume = base.metadata.annotations?.[RESUME_ANNOTATION];
  return [
    ...broken({ 'lastResume is the last value': status.lastResume === (resume ?? base.status?.lastResume) }),
    ...failures(write),
    ...paused(write),
  ];
}

function failures({ base, status, ledger }: StatusWrite): readonly string[] {
  const limit = base.spec.pauseAfterFailures;
  const count = status.consecutiveFailures;
  if (limit === undefined) return broken({ 'nobody counts failures': count === undefined });
  const results = ledger.book.isWhole(status, base) ? resultsBetween(base.status, status, ledger) : undefined;
  if (results === undefined) return [];
  const expected = countAfter(base, results, causeOf(base, results));
  return broken({
    [`consecutiveFailures is ${[...new Set(expected)].join(' or ')}, not ${count}`]:
      count !== undefined && expected.includes(count),
  });
}

function paused({ base, status, ledger, now, note }: StatusWrite): readonly string[] {
  const before = base.status?.paused;
  const after = status.paused;
  const limit = base.spec.pauseAfterFailures;
  const isFull = limit !== undefined && (status.consecutiveFailures ?? 0) >= limit;
  if (before === undefined) {
    if (after !== undefined) note('paused');
    return broken({
      'a schedule is paused when so many runs have failed': (after !== undefined) === isFull,
      'a pause begins now': after === undefined || sameInstant(instantOf(after.since), wholeSeconds(now)),
    });
  }
  const results = resultsBetween(base.status, status, ledger);
  const cause = causeOf(base, results);
  if (after !== undefined) {
    const isHidden = !ledger.book.isWhole(status, base);
    return broken({
      [`a pause ends with ${cause}`]: cause === undefined || (isHidden && cause === 'manual run'),
      'a pause stays what it is': after.since === before.since,
    });
  }
  if (cause !== undefined) note(`resumed by ${cause}`);
  const through = instantOf(status.handledThrough);
  return broken({
    'a pause ends only for a reason': cause !== undefined || !ledger.book.isWhole(status, base),
    'after a pause nothing is caught up': isSettledThrough(through, ledger),
  });
}

function isSettledThrough(through: Date | undefined, ledger: Ledger): boolean {
  return through !== undefined && (ledger.wasSkewed || through >= wholeSeconds(ledger.stillUntil));
}

type Cause = 'resume' | 'edit' | 'manual run';

/** The event that ends a pause, or resets the count. */
function causeOf(base: CronJob, results: readonly Result[]): Cause | undefined {
  const { metadata, status } = base;
  if (status?.observedGeneration === undefined) return undefined;
  const resume = metadata.annotations?.[RESUME_ANNOTATION];
  if (resume !== undefined && resume !== status.lastResume) return 'resume';
  if (status.observedGeneration !== metadata.generation) return 'edit';
  return results.some(({ kind, job }) => kind === 'Succeeded' && isManual(job)) ? 'manual run' : undefined;
}

/** More than one count when the order of two results is unknown. */
function countAfter(base: CronJob, results: readonly Result[], cause: Cause | undefined): readonly number[] {
  if (cause === 'resume') return [0];
  const before = cause === undefined ? (base.status?.consecutiveFailures ?? 0) : 0;
  const counts = [results, results.toReversed()].map((each) =>
    each
      .toSorted((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)))
      .reduce((count, { kind, job }) => (kind === 'Succeeded' ? 0 : count + Number(isCounted(job, base))), before),
  );
  return counts;
}

/** Whether the run belongs to a slot, and was created from the current spec. */
function isCounted(job: Job, { metadata }: CronJob): boolean {
  return slotOf(job) !== undefined && job.metadata.annotations?.[GENERATION_ANNOTATION] === `${metadata.generation}`;
}

/** According to the lists of runs. */
function resultsBetween(before: CronJobStatus | undefined, after: CronJobStatus, ledger: Ledger): readonly Result[] {
  const known = new Set(finalIn(before));
  return finalIn(after)
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const { job } = ledger.book.ofName(name).at(-1) ?? {};
      const ending = job && ledger.book.endingOf(job);
      return job && ending && ending.kind !== 'Active' ? [{ ...ending, job }] : [];
    });
}

function finalIn(status: CronJobStatus = {}): readonly string[] {
  return listedAs(['Succeeded', 'Failed'], status);
}

function listedAs(results: readonly string[], { recentRuns = [] }: CronJobStatus): readonly string[] {
  return recentRuns
    .map(parseRecentRun)
    .filter((run) => run !== undefined && results.includes(run.result))
    .map((run) => run?.jobName ?? '');
}

/** Rules for a slot that is about to start. */
interface Start {
  readonly view: CronJob;
  readonly pass: Pass;
  readonly ledger: Ledger;
  readonly slot: Date;
}

export function startWhilePaused({ view, pass, ledger, slot }: Start): readonly string[] {
  const { status = {}, spec } = view;
  // A replaced run may fail when a client holds on to its Job: it remains a replaced run.
  const listed = new Set(listedAs(['Succeeded', 'Failed', 'Replaced'], status));
  const results = [...pass.jobs.values()].flatMap((job) => {
    const ending = endingOf(job);
    return ending.kind === 'Active' || listed.has(job.metadata.name) ? [] : [{ ...ending, job }];
  });
  const limit = spec.pauseAfterFailures;
  const isEnded = limit === undefined || causeOf(view, results) !== undefined || ledger.book.hasManualSuccess(listed);
  const isWhole = listLimitOf(view) > (status.recentRuns?.length ?? 0);
  const counts = limit === undefined || !isWhole ? [0] : countAfter(view, results, causeOf(view, results));
  return broken({
    'no slot starts while paused': status.paused === undefined || isEnded,
    'no slot starts once so many runs have failed': limit === undefined || Math.min(...counts) < limit,
    'no slot starts of the time of a pause': ledger.wasSkewed || slot > ledger.stillUntil,
  });
}
