/** Rules for the Jobs that the manager creates and deletes for CronJobRuns. Each function returns the broken rules. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION } from '../../api/v1/groupversion.ts';
import { checkContext } from './context-rules.ts';
import type { DeletedJob } from './delete-rules.ts';
import {
  findBrokenRules,
  getRequestedSlot,
  isActive,
  isBeingDeleted,
  isSameInstant,
  latest,
  parseInstant,
  truncateToSeconds,
} from './facts.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { isFinishedStatus, isJobOfRequest, type RequestLedger, requestedJobName } from './request-ledger.ts';
import { checkConcurrency, checkOwnership, type StartedJob } from './start-rules.ts';

/** The clock of a client may be ahead. */
const CLOCK_SKEW_MS = 60_000;
/** Label that Velero sets. */
export const RESTORE_LABEL = 'velero.io/restore-name';

export interface RequestedJobStart extends StartedJob {
  /** The CronJobRun as the reconcile last saw it. */
  readonly request: CronJobRun;
  readonly requestLedger: RequestLedger;
}

export function checkRequestedStart(start: RequestedJobStart): readonly string[] {
  const { request } = start;
  return [
    ...checkOwnership(start),
    ...checkContext(start),
    ...(request.spec.concurrencyPolicy === 'Ignore' ? [] : checkConcurrency(start)),
    ...checkOnce(start),
    ...checkRequestState(start),
    ...checkRequestedSlot(start),
    ...checkOverrides(start),
  ];
}

/** A run is started at most once, unless its Job was gone before any status showed it. */
function checkOnce({ job, observed, requestLedger }: RequestedJobStart): readonly string[] {
  const earlier = requestLedger.listByName(job.metadata.name);
  return findBrokenRules({
    'no requested run starts twice': earlier.every(
      (each) => each.isGone && (!requestLedger.hasStored(each) || observed.isOrphaned),
    ),
    'no run starts before a status shows the last one of its CronJobRun': requestLedger.starts.every(
      (each) =>
        each.isOrphaned ||
        observed.isOrphaned ||
        each.job.metadata.name === job.metadata.name ||
        requestLedger.hasStored(each),
    ),
    'a process does not start a requested run again after it has read its Job': earlier.every(
      (each) => !observed.hasReadJob(each.job.metadata.uid),
    ),
  });
}

/** Replace deletes Jobs before the create, and the CronJobRun may change meanwhile. */
function checkRequestState({ observed, request, view, requestLedger }: RequestedJobStart): readonly string[] {
  const cached = observed.requestAtCreate;
  const hasDeletedBefore = observed.writes > 1;
  const isNewer = Number(cached?.metadata.resourceVersion) >= Number(request.metadata.resourceVersion);
  const seen = !hasDeletedBefore && cached?.metadata.uid === request.metadata.uid && isNewer ? cached : request;
  const { cronJobUID = view.metadata.uid } = seen.status ?? {};
  return findBrokenRules({
    'no run starts for a deleted CronJobRun': hasDeletedBefore || cached?.metadata.uid === request.metadata.uid,
    'no run starts for a CronJobRun that is being deleted': !isBeingDeleted(seen),
    'no run starts for a suspended CronJobRun': seen.spec.suspend !== true,
    'no run starts for a CronJobRun from a backup': seen.metadata.labels?.[RESTORE_LABEL] === undefined,
    'no run starts for a finished CronJobRun':
      !isFinishedStatus(seen.status) && (observed.isOrphaned || !isFinishedStatus(requestLedger.last.status)),
    'no run starts for another CronJob than the accepted one': cronJobUID === view.metadata.uid,
  });
}

function checkRequestedSlot(start: RequestedJobStart): readonly string[] {
  const { job, request, observed, siblings, requestLedger } = start;
  const { scheduledTime, backfill } = request.spec;
  const slot = getRequestedSlot(job);
  const given = scheduledTime === undefined ? undefined : truncateToSeconds(new Date(scheduledTime));
  const ownActive = siblings.filter(
    (sibling) => isActive(sibling) && isJobOfRequest(request, sibling) && observed.knewJob(sibling.metadata.uid),
  );
  return findBrokenRules({
    'a requested run has the name of its CronJobRun': job.metadata.name === requestedJobName(request, slot),
    'a requested run has the annotation of its CronJobRun':
      job.metadata.annotations?.[REQUESTED_BY_ANNOTATION] === request.metadata.name,
    'a requested run has the requested slot': backfill !== undefined || isSameInstant(slot, given),
    'no run starts for a slot after the creation of its CronJobRun':
      latest(slot).getTime() <= latest(parseInstant(request.metadata.creationTimestamp)).getTime() + CLOCK_SKEW_MS,
    'a backfill starts only slots of its time': backfill === undefined || isSlotToFill(start, slot),
    'a backfill starts its slots in order': observed.isOrphaned || isInOrder(request, slot, requestLedger),
    'no more runs of a CronJobRun are active than maxConcurrentRuns':
      ownActive.length < (backfill?.maxConcurrentRuns ?? 1),
  });
}

/** The simulated CronJobRuns override the arguments of the only container. */
function checkOverrides({ job, request, view, reportEffect }: RequestedJobStart): readonly string[] {
  const { args } = request.spec.overrides?.containers?.[0] ?? {};
  const { runOverrides = 'None' } = view.spec;
  if (args !== undefined) reportEffect('requested run with overrides');
  return findBrokenRules({
    'a run has overrides only when the CronJob allows them': args === undefined || runOverrides !== 'None',
    'the container of a requested run has the arguments of its CronJobRun':
      JSON.stringify(job.spec.template.spec?.containers[0]?.args) === JSON.stringify(args),
  });
}

function isSlotToFill({ request, view, observed, ledger, now }: RequestedJobStart, slot: Date | undefined): boolean {
  const { startTime, endTime } = request.spec.backfill ?? {};
  const created = new Date(request.metadata.creationTimestamp ?? '');
  if (slot === undefined || slot < latest(parseInstant(startTime)) || slot >= latest(parseInstant(endTime)))
    return false;
  const isSlot = (cronJob: CronJob | undefined) => {
    const slots = cronJob && ledger.getSlots(cronJob, now);
    return slots !== undefined && isSameInstant(slots.previous(slot), slot) && !slots.isExcluded(slot);
  };
  return slot <= created && (isSlot(view) || isSlot(observed.readCronJob));
}

function isInOrder({ spec }: CronJobRun, slot: Date | undefined, { starts }: RequestLedger): boolean {
  if (spec.backfill === undefined || slot === undefined) return true;
  const others = starts.filter((each) => !each.isOrphaned && each.slot !== undefined).map((each) => latest(each.slot));
  return others.every((other) => (spec.backfill?.order === 'NewestFirst' ? slot <= other : slot >= other));
}

/** A reconcile of a CronJobRun deletes only the active Jobs that its run replaces. */
export function checkReplacedJob({ job, observed, view }: Omit<DeletedJob, 'requestOfJob'>): readonly string[] {
  const observedJob = observed.jobs.get(job.metadata.uid);
  if (observedJob === undefined) return ['a reconcile deletes only Jobs that it has read'];
  return isActive(observedJob)
    ? checkReplaced(observed, view, observedJob)
    : ['a reconcile of a CronJobRun deletes no finished Job'];
}

function checkReplaced({ request }: ObservedReconcile, { spec }: CronJob, job: Job): readonly string[] {
  return findBrokenRules({
    'a CronJobRun deletes an active run only under Replace': spec.concurrencyPolicy === 'Replace',
    'a CronJobRun that ignores the policy replaces nothing': request?.spec.concurrencyPolicy !== 'Ignore',
    'a CronJobRun does not replace its own runs': request === undefined || !isJobOfRequest(request, job),
  });
}
