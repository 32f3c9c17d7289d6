/** Rules for each Job that the manager deletes. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { broken, endingOf, instantOf, isGoing, listLimitOf, manualName, slotOf, storedFloor } from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { Pass } from './pass.ts';

/** A deleted Job. */
export interface Removal {
  readonly job: Job;
  readonly pass: Pass;
  /** The CronJob as the pass saw it. */
  readonly view: CronJob;
  readonly ledger: Ledger;
}

/** Returns the broken rules. */
export function brokenByRemoval({ job, pass, view, ledger }: Removal): readonly string[] {
  const seen = pass.jobs.get(job.metadata.uid);
  if (seen === undefined) return ['only a Job that the pass has seen is deleted'];
  const ending = endingOf(seen);
  if (ending.kind === 'Active') {
    return view.spec.concurrencyPolicy === 'Replace' ? [] : ['an active run is deleted only to be replaced'];
  }
  const limit = view.spec[ending.kind === 'Succeeded' ? 'successfulJobsHistoryLimit' : 'failedJobsHistoryLimit'];
  const alike = [...pass.jobs.values()]
    .filter((other) => endingOf(other).kind === ending.kind && !isGoing(other))
    .toSorted(byStart);
  const rank = alike.findIndex((other) => other.metadata.uid === job.metadata.uid);
  // A pass that deletes last may rely on the status that it has written before.
  const stored = pass.wrote ?? pass.stored ?? view;
  const recorded = pass.wrote === undefined ? [stored.status, view.status] : [pass.sent?.status];
  const results = recorded.map((status) =>
    ending.kind === 'Succeeded' ? status?.lastSuccessfulTime : status?.lastFailureTime,
  );
  return broken({
    'history keeps as many as its limit, the newest ones': rank < alike.length - limit,
    'a Job is deleted only when the status has its run as settled': isAccountedFor(seen, stored),
    'a Job is deleted only when its run is listed with its result': recorded.some((status) =>
      isListed(seen, view, status),
    ),
    'a result never vanishes: a Job is deleted when a stored status has told of its end':
      ledger.wasPruned || listLimitOf(view) === 0 || ledger.book.hasStoredEnd(job),
    'a Job is deleted only when the status has its result': results.some((result) => (result ?? '') >= ending.at),
  });
}

/** Or a full list has only newer runs. */
function isListed({ metadata }: Job, view: CronJob, { recentRuns = [] }: CronJobStatus = {}): boolean {
  const entry = recentRuns.map(parseRecentRun).find((run) => run?.jobName === metadata.name);
  return entry === undefined ? recentRuns.length >= listLimitOf(view) : entry.result !== 'Running';
}

function byStart(left: Job, right: Job): number {
  const startOf = ({ status }: Job) => instantOf(status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  if (startOf(left) !== startOf(right)) return startOf(left) < startOf(right) ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

function isAccountedFor(job: Job, view: CronJob): boolean {
  const slot = slotOf(job);
  if (slot !== undefined) return slot <= storedFloor(view);
  const value = view.metadata.annotations?.[RUN_NOW_ANNOTATION];
  const isAskedForNow = value !== undefined && job.metadata.name === manualName(view, value);
  return !isAskedForNow || view.status?.lastManualRun === value;
}
