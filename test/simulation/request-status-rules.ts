/** Rules for each status of a CronJobRun that the manager writes. Each function returns the broken rules. */
import type { CronJobRun, CronJobRunStatus, RequestedJob } from '../../api/v1/cronjobrun-types.ts';
import { HOUR_MS } from './durations.ts';
import type { Effect } from './effects.ts';
import { findBrokenRules, isSameInstant, latest, parseInstant } from './facts.ts';
import type { Ledger } from './ledger.ts';
import { findRequestCondition, isFinishedStatus, type RequestLedger } from './request-ledger.ts';

export interface RequestStatusWrite {
  /** Before the write. */
  readonly old: CronJobRun;
  readonly status: CronJobRunStatus;
  readonly requestLedger: RequestLedger;
  /** The ledger of the CronJob that was accepted. Absent when no CronJob was accepted. */
  readonly ledger: Ledger | undefined;
  readonly reportEffect: (effect: Effect) => void;
}

const MAX_JOBS = 50;

export function checkRequestStatus(write: RequestStatusWrite): readonly string[] {
  const { old, status } = write;
  return [
    ...findBrokenRules({ 'a finished CronJobRun does not change': !isFinishedStatus(old.status) }),
    ...checkKeptFields(old, status),
    ...checkConditions(write),
    ...checkJobList(write),
    ...(isFinishedStatus(status) ? checkFinished(write) : []),
  ];
}

const COUNTS = ['succeeded', 'failed', 'skipped'] as const;

function checkKeptFields(
  { metadata, spec, status: before = {} }: CronJobRun,
  status: CronJobRunStatus,
): readonly string[] {
  const createdMs = latest(parseInstant(metadata.creationTimestamp)).getTime();
  const [lastBefore, last] = [before.lastScheduledTime, status.lastScheduledTime].map(parseInstant);
  const isNewestFirst = spec.backfill?.order === 'NewestFirst';
  const isInOrder = last !== undefined && (isNewestFirst ? last <= latest(lastBefore) : last >= latest(lastBefore));
  return findBrokenRules({
    'the counts of a CronJobRun never decrease': COUNTS.every((name) => (status[name] ?? 0) >= (before[name] ?? 0)),
    'startTime of a CronJobRun stays': before.startTime === undefined || before.startTime === status.startTime,
    'a CronJobRun is accepted within an hour of its creation':
      before.startTime !== undefined || latest(parseInstant(status.startTime)).getTime() <= createdMs + HOUR_MS,
    'cronJobUID stays': before.cronJobUID === undefined || before.cronJobUID === status.cronJobUID,
    'lastScheduledTime follows the order': lastBefore === undefined || isInOrder,
  });
}

function checkConditions({ old, status }: RequestStatusWrite): readonly string[] {
  const types = (status.conditions ?? []).map(({ type }) => type).toSorted();
  const isTrue = (type: string) => findRequestCondition({ status }, type)?.status === 'True';
  return findBrokenRules({
    'the status of a CronJobRun has every condition': types.join() === 'Accepted,Complete,Failed',
    'a CronJobRun is not Complete and Failed': !isTrue('Complete') || !isTrue('Failed'),
    'an accepted CronJobRun has a start time': !isTrue('Accepted') || status.startTime !== undefined,
    'completionTime is set exactly when a CronJobRun has finished':
      (status.completionTime !== undefined) === isFinishedStatus(status),
    'conditions have the generation of the CronJobRun': (status.conditions ?? []).every(
      ({ observedGeneration }) =>
        observedGeneration === old.metadata.generation ||
        // It had finished, and a user edited it before the status could be stored.
        (isFinishedStatus(status) && Number(observedGeneration) < Number(old.metadata.generation)),
    ),
  });
}

function checkJobList(write: RequestStatusWrite): readonly string[] {
  const { status, requestLedger } = write;
  const { jobs = [], active = 0, succeeded = 0, failed = 0 } = status;
  const names = jobs.map(({ name }) => name);
  return [
    ...findBrokenRules({
      'active is the number of running Jobs': active === jobs.filter(({ result }) => result === 'Running').length,
      'a CronJobRun lists each Job once': new Set(names).size === names.length,
      'a CronJobRun lists a bounded number of Jobs': jobs.length <= MAX_JOBS,
      'every counted run had a Job': active + succeeded + failed <= requestLedger.startCount,
    }),
    ...jobs.flatMap((entry) => checkEntry(entry, write)),
  ];
}

function checkEntry(
  entry: RequestedJob,
  { requestLedger, ledger, reportEffect }: RequestStatusWrite,
): readonly string[] {
  const starts = requestLedger.listByName(entry.name);
  const endings = starts.map(({ job }) => ledger?.book.getEnding(job).kind);
  if (entry.result === 'Unknown') reportEffect('requested run: Unknown');
  return findBrokenRules({
    [`every listed requested run was started (${entry.name})`]: starts.length > 0,
    [`${entry.name} has its requested slot`]: starts.every(({ slot }) =>
      isSameInstant(slot, parseInstant(entry.scheduledTime)),
    ),
    [`the requested run ${entry.name} has ${entry.result}`]:
      ledger === undefined ||
      entry.result === 'Running' ||
      entry.result === 'Unknown' ||
      endings.includes(entry.result),
    [`the Job of the requested run ${entry.name} is gone`]:
      entry.result !== 'Unknown' || starts.some(({ isGone }) => isGone),
  });
}

function checkFinished(write: RequestStatusWrite): readonly string[] {
  const { status, requestLedger, reportEffect } = write;
  const { total = 0, active = 0, succeeded = 0, failed = 0, skipped = 0 } = status;
  const accepted = findRequestCondition({ status }, 'Accepted');
  const isComplete = findRequestCondition({ status }, 'Complete')?.status === 'True';
  if (accepted?.status !== 'True') {
    reportEffect(`request refused: ${accepted?.reason}` as Effect);
    return findBrokenRules({
      'a refused CronJobRun has Failed': !isComplete,
      'a refused CronJobRun has no active runs': active === 0,
    });
  }
  reportEffect(isComplete ? 'request complete' : 'request failed');
  if (skipped > 0) reportEffect('requested run skipped');
  const started = requestLedger.startCount;
  return findBrokenRules({
    [`the counts of a finished CronJobRun add up (${total} = ${succeeded} + ${failed} + ${skipped})`]:
      total === succeeded + failed + skipped && active === 0,
    'a CronJobRun is Complete exactly when every run has succeeded': isComplete === (failed + skipped === 0),
    [`every started run is counted (${started})`]: started >= succeeded + failed && started <= total,
    [`a backfill handles every slot (${total} of ${requestLedger.slotsAtAcceptance?.count})`]: hasHandledAll(
      write,
      total,
    ),
  });
}

/** When no user has edited the schedule meanwhile, and the status has never lost the time that `@every` counts from. */
function hasHandledAll({ requestLedger: { slotsAtAcceptance }, ledger }: RequestStatusWrite, total: number): boolean {
  return slotsAtAcceptance === undefined || slotsAtAcceptance.count === total || ledger?.wasPruned === true;
}
