/** Rules for each Job that the manager deletes. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import {
  type Ending,
  findBrokenRules,
  getEnding,
  getListLimit,
  getRequestedSlot,
  getSlot,
  isActive,
  isBeingDeleted,
  isBlocking,
  isRequested,
  manualJobName,
  parseInstant,
  storedFloor,
} from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { isFinishedStatus, isJobOfRequest, isPast } from './request-ledger.ts';

/** A deleted Job. */
export interface DeletedJob {
  readonly job: Job;
  readonly observed: ObservedReconcile;
  /** The CronJob as the reconcile saw it. */
  readonly view: CronJob;
  readonly ledger: Ledger;
  /** The CronJobRun that asked for the run, if it exists. */
  readonly requestOfJob: CronJobRun | undefined;
}

const DEFAULT_REQUESTED_LIMIT = 3;

/** The limit that applies to a finished Job. */
function getHistory(job: Job) {
  if (isRequested(job)) return 'requestedRunsHistoryLimit';
  return getEnding(job).kind === 'Succeeded' ? 'successfulJobsHistoryLimit' : 'failedJobsHistoryLimit';
}

/** Its status could not be stored for an hour, so it has ended without its runs. */
function hasCountedNothing({ status }: CronJobRun): boolean {
  return isFinishedStatus(status) && status?.startTime === undefined;
}

function isCounted(job: Job, request: CronJobRun | undefined): boolean {
  if (request === undefined || !isJobOfRequest(request, job) || hasCountedNothing(request)) return true;
  const entry = request.status?.jobs?.find(({ name }) => name === job.metadata.name);
  return entry === undefined ? isPast(request, getRequestedSlot(job)) : entry.result !== 'Running';
}

/** Returns the broken rules. */
export function checkRemoval({ job, observed, view, ledger, requestOfJob }: DeletedJob): readonly string[] {
  const observedJob = observed.jobs.get(job.metadata.uid);
  // A Job that the reconcile could not read counts as active.
  const wasUnreadable = observed.unreadNames.has(job.metadata.name);
  if (observedJob === undefined && !wasUnreadable) return ['a reconcile deletes only Jobs that it has read'];
  const ending: Ending = observedJob === undefined ? { kind: 'Active' } : getEnding(observedJob);
  if (observedJob === undefined || ending.kind === 'Active') {
    return view.spec.concurrencyPolicy === 'Replace' ? [] : ['an active run is deleted only under Replace'];
  }
  const history = getHistory(job);
  const limit = view.spec[history] ?? DEFAULT_REQUESTED_LIMIT;
  const finishedAlike = [...observed.jobs.values()]
    .filter((other) => !isActive(other) && getHistory(other) === history && !isBeingDeleted(other))
    .toSorted(compareStartTimes);
  const rank = finishedAlike.findIndex((other) => other.metadata.uid === job.metadata.uid);
  // A reconcile that deletes last may rely on the status that it has written before.
  const stored = observed.writtenCronJob ?? observed.readCronJob ?? view;
  const statuses = observed.writtenCronJob === undefined ? [stored.status, view.status] : [observed.sentStatus?.status];
  const results = statuses.map((status) =>
    ending.kind === 'Succeeded' ? status?.lastSuccessfulTime : status?.lastFailureTime,
  );
  return findBrokenRules({
    'a requested Job is deleted only when its CronJobRun has its result': isCounted(job, requestOfJob),
    'no Job is deleted whose Pods make the next run wait': !isBlocking(observedJob, view),
    'the history keeps the newest Jobs up to its limit': rank < finishedAlike.length - limit,
    'a Job is deleted only when the status has its run as handled': isRequested(job) || isHandled(observedJob, stored),
    'a Job is deleted only when its run is listed with its result': statuses.some((status) =>
      isListedAsFinished(observedJob, view, status),
    ),
    'a Job is deleted only after a stored status has listed its end':
      ledger.wasPruned || getListLimit(view) === 0 || ledger.book.hasStoredEnd(job),
    'a Job is deleted only when the status has its result': results.some((result) => (result ?? '') >= ending.at),
  });
}

/** Or a full list has only newer runs. */
function isListedAsFinished({ metadata }: Job, view: CronJob, { recentRuns = [] }: CronJobStatus = {}): boolean {
  const entry = recentRuns.map(parseRecentRun).find((run) => run?.jobName === metadata.name);
  return entry === undefined ? recentRuns.length >= getListLimit(view) : entry.result !== 'Running';
}

function compareStartTimes(left: Job, right: Job): number {
  const getStartMs = ({ status }: Job) => parseInstant(status?.startTime)?.getTime() ?? Number.POSITIVE_INFINITY;
  if (getStartMs(left) !== getStartMs(right)) return getStartMs(left) < getStartMs(right) ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

function isHandled(job: Job, view: CronJob): boolean {
  const slot = getSlot(job);
  if (slot !== undefined) return slot <= storedFloor(view);
  const value = view.metadata.annotations?.[RUN_NOW_ANNOTATION];
  const isCurrentRunNow = value !== undefined && job.metadata.name === manualJobName(view, value);
  return !isCurrentRunNow || view.status?.lastManualRun === value;
}
