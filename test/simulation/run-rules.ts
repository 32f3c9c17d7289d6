/** Rules for `status.recentRuns`. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { REQUESTED_BY_ANNOTATION, START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun, type RecentRun } from '../../api/v1/recent-lines.ts';
import {
  findBrokenRules,
  formatTime,
  getListLimit,
  isBackfill,
  isManual,
  isSameInstant,
  parseInstant,
} from './facts.ts';
import type { ObservedStatusWrite } from './handled-rules.ts';
import type { RunRecord } from './run-book.ts';

export function checkRecentRuns(write: ObservedStatusWrite): readonly string[] {
  const { base, status, reportEffect } = write;
  const lines = status.recentRuns ?? [];
  const runs = parseRuns(status);
  const runsByKey = new Map(runs.map((run) => [formatRunKey(run), run]));
  const created = runs.map(({ createdTime }) => createdTime.getTime());
  const before = new Map(parseRuns(base.status).map((run) => [formatRunKey(run), run]));
  for (const { result } of runs) reportEffect(`run: ${result}`);
  return [
    ...findBrokenRules({
      'every line of recentRuns is valid': runs.length === lines.length,
      'recentRuns has at most recentRunsLimit lines': lines.length <= getListLimit(base),
      'no run is listed twice': runsByKey.size === runs.length,
      'runs are listed newest first': created.every((time, index) => index === 0 || time <= (created[index - 1] ?? 0)),
    }),
    ...[...runsByKey].flatMap(([key, run]) => checkEntry(run, before.get(key), write)),
    ...checkMissingRuns(write, runs),
    ...checkLostRuns(before, write, runsByKey),
  ];
}

function parseRuns(status: CronJobStatus = {}): readonly RecentRun[] {
  return (status.recentRuns ?? []).map(parseRecentRun).filter((run) => run !== undefined);
}

function formatRunKey({ jobName, scheduledTime, createdTime }: RecentRun): string {
  return `${jobName} ${(scheduledTime ?? createdTime).toISOString()}`;
}

/** A line, and its previous value. */
function checkEntry(run: RecentRun, before: RecentRun | undefined, write: ObservedStatusWrite): readonly string[] {
  const { ledger } = write;
  if (before !== undefined && isFinal(before)) {
    return findBrokenRules({ [`the result of ${run.jobName} stays`]: JSON.stringify(run) === JSON.stringify(before) });
  }
  const records = ledger.book.listByName(run.jobName);
  const record =
    records.find(({ job }) => job.metadata.creationTimestamp === formatTime(run.createdTime)) ?? records.at(-1);
  if (record === undefined) return [`every listed run was started (${run.jobName})`];
  const trigger = getTrigger(record);
  if (trigger === 'External') write.reportEffect('external run listed');
  return [
    ...findBrokenRules({
      [`${run.jobName} has the right trigger`]: run.trigger === trigger,
      [`${run.jobName} names its CronJobRun`]:
        run.requestedBy === record.job.metadata.annotations?.[REQUESTED_BY_ANNOTATION],
      [`${run.jobName} has the right scheduled time`]: isSameInstant(run.scheduledTime, record.slot),
      [`${run.jobName} has the right creation time`]:
        isSameInstant(before?.createdTime, run.createdTime) ||
        isStartOfLastRun(run, write) ||
        records.some(({ job }) => job.metadata.creationTimestamp === formatTime(run.createdTime)),
    }),
    ...(records.length === 1 ? checkResult(run, record, write) : []),
  ];
}

function getTrigger({ job, slot }: RunRecord): RecentRun['trigger'] {
  if (isBackfill(job)) return 'Backfill';
  const manualTrigger = isManual(job) ? 'Manual' : 'External';
  return slot === undefined ? manualTrigger : 'Schedule';
}

function isFinal({ result }: RecentRun): boolean {
  return result !== 'Running' && result !== 'Unknown';
}
/** The Job could not be read, and no list had the run: only the start of the last run is known. */
function isStartOfLastRun({ jobName, createdTime }: RecentRun, { base }: ObservedStatusWrite): boolean {
  const { lastRun } = base.status ?? {};
  return lastRun?.jobName === jobName && isSameInstant(parseInstant(lastRun.startTime), createdTime);
}

function checkResult(run: RecentRun, { job, isGone }: RunRecord, write: ObservedStatusWrite): readonly string[] {
  const { observed, ledger, base } = write;
  const { uid } = job.metadata;
  const ending = ledger.book.getEnding(job);
  const observedJob = observed.jobs.get(uid);
  const mayExist =
    observedJob !== undefined || observed.created?.metadata.uid === uid || observed.unreadNames.has(run.jobName);
  switch (run.result) {
    case 'Succeeded':
    case 'Failed':
      return findBrokenRules({
        [`${run.jobName} has ${run.result}`]: ending.kind === run.result,
        [`${run.jobName} has the right completion time`]: hasCorrectEnd(run, job, write),
        [`${run.jobName} has the right reason, not ${run.reason}`]: hasCorrectReason(run, job, write),
      });
    case 'Running':
      return findBrokenRules({
        [`${run.jobName} is Running: the process has not read its end`]: !observed.hasReadFinishedJob(uid),
        [`${run.jobName} is Running: its Job exists`]: mayExist,
      });
    case 'Unknown':
      return findBrokenRules({
        [`the end of ${run.jobName} is Unknown: the process has not read it`]:
          !observed.hasReadFinishedJob(uid) || run.reason !== 'JobDeleted',
        [`the end of ${run.jobName} is Unknown: its Job is gone`]: isGone || !mayExist,
      });
    case 'Replaced':
      return findBrokenRules({
        [`${run.jobName} was replaced: the policy is Replace`]: hasReplacePolicy(base) || ledger.book.replaced.has(uid),
        [`${run.jobName} was replaced: a newer run exists`]:
          ledger.book.hasNewerRun(job) || ledger.book.replaced.has(uid),
      });
  }
}

function hasReplacePolicy({ spec }: CronJob): boolean {
  return spec.concurrencyPolicy === 'Replace';
}

function hasCorrectEnd({ completionTime }: RecentRun, job: Job, { ledger }: ObservedStatusWrite): boolean {
  const ending = ledger.book.getEnding(job);
  return (
    ending.kind !== 'Active' && isSameInstant(completionTime, ending.at === '' ? undefined : parseInstant(ending.at))
  );
}

function hasCorrectReason({ reason }: RecentRun, job: Job, { ledger, reportEffect }: ObservedStatusWrite): boolean {
  const last = ledger.book.getLastVersion(job);
  const failed = last?.status?.conditions?.find(({ type }) => type === 'Failed');
  const isTimeout = failed?.reason === 'DeadlineExceeded' && last?.metadata.annotations?.[START_TIMEOUT_ANNOTATION];
  if (isTimeout) reportEffect('start timed out');
  return reason === (isTimeout ? 'StartTimeout' : failed?.reason);
}

/**
 * Every run that the process has seen is listed, was listed, or is older than a full list. Before the limit was raised, the list of a status
 * that could not be stored may have been full.
 */
function checkMissingRuns(
  { base, observed, ledger }: ObservedStatusWrite,
  runs: readonly RecentRun[],
): readonly string[] {
  const limit = getListLimit(base);
  const oldest = runs.length >= limit ? runs.at(-1)?.createdTime : undefined;
  if (limit === 0) return [];
  const limitSince = ledger.history.findSince(base, (spec) => getListLimit({ spec }) >= limit);
  const names = new Set(runs.map(({ jobName }) => jobName));
  const unlisted = ledger.book.listUnlisted().filter(({ job }) => {
    const { uid, name, creationTimestamp } = job.metadata;
    const created = new Date(creationTimestamp);
    const isOld = (oldest !== undefined && created <= oldest) || created < limitSince;
    return observed.hasReadJob(uid) && !names.has(name) && !isOld;
  });
  return unlisted.map(({ job }) => `every run that the process has read is listed (${job.metadata.name})`);
}

function checkLostRuns(
  before: ReadonlyMap<string, RecentRun>,
  { base, status }: ObservedStatusWrite,
  runs: ReadonlyMap<string, RecentRun>,
): readonly string[] {
  const isFull = (status.recentRuns ?? []).length >= getListLimit(base);
  const missingKeys = [...before.keys()].filter((key) => !runs.has(key));
  return isFull ? [] : missingKeys.map((key) => `a listed run stays in the list (${key})`);
}
