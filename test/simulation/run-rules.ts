/** Rules for `status.recentRuns`. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun, type RecentRun } from '../../api/v1/recent-lines.ts';
import { broken, instantOf, isManual, listLimitOf, sameInstant } from './facts.ts';
import type { RunRecord } from './run-book.ts';
import type { StatusWrite } from './settled-rules.ts';

export function recentRuns(write: StatusWrite): readonly string[] {
  const { base, status, note } = write;
  const lines = status.recentRuns ?? [];
  const runs = runsIn(status);
  const keys = runs.map(keyOf);
  const created = runs.map(({ createdTime }) => createdTime.getTime());
  const before = runsIn(base.status);
  for (const { result } of runs) note(`run: ${result}`);
  return [
    ...broken({
      'every line of recentRuns can be read': runs.length === lines.length,
      'recentRuns is as long as its limit at most': lines.length <= listLimitOf(base),
      'no run is listed twice': new Set(keys).size === keys.length,
      'runs are listed newest first': created.every((time, index) => index === 0 || time <= (created[index - 1] ?? 0)),
    }),
    ...runs.flatMap((run) =>
      entry(
        run,
        before.find((each) => keyOf(each) === keyOf(run)),
        write,
      ),
    ),
    ...missing(write, runs),
    ...lost(before, write, keys),
  ];
}

function runsIn(status: CronJobStatus = {}): readonly RecentRun[] {
  return (status.recentRuns ?? []).map(parseRecentRun).filter((run) => run !== undefined);
}

function keyOf({ jobName, scheduledTime, createdTime }: RecentRun): string {
  return `${jobName} ${(scheduledTime ?? createdTime).toISOString()}`;
}

/** A line, and its previous value. */
function entry(run: RecentRun, before: RecentRun | undefined, write: StatusWrite): readonly string[] {
  const { ledger } = write;
  if (before !== undefined && isFinal(before)) {
    return broken({ [`the result of ${run.jobName} stays`]: JSON.stringify(run) === JSON.stringify(before) });
  }
  const records = ledger.book.ofName(run.jobName);
  const record =
    records.find(({ job }) => job.metadata.creationTimestamp === timeOf(run.createdTime)) ?? records.at(-1);
  if (record === undefined) return [`a run that is listed was started (${run.jobName})`];
  const byWhom = isManual(record.job) ? 'Manual' : 'External';
  const trigger = record.slot === undefined ? byWhom : 'Schedule';
  if (trigger === 'External') write.note('external run listed');
  return [
    ...broken({
      [`${run.jobName} is listed as what started it`]: run.trigger === trigger,
      [`${run.jobName} is listed at its time`]: sameInstant(run.scheduledTime, record.slot),
      [`${run.jobName} is listed as created when it was`]: records.some(
        ({ job }) => job.metadata.creationTimestamp === timeOf(run.createdTime),
      ),
    }),
    ...(records.length === 1 ? result(run, record, write) : []),
  ];
}

function isFinal({ result }: RecentRun): boolean {
  return result !== 'Running' && result !== 'Unknown';
}

function timeOf(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

function result(run: RecentRun, { job, isGone }: RunRecord, write: StatusWrite): readonly string[] {
  const { pass, ledger, base } = write;
  const { uid } = job.metadata;
  const ending = ledger.book.endingOf(job);
  const seen = pass.jobs.get(uid);
  const isThere = seen !== undefined || pass.created?.metadata.uid === uid || pass.unread.has(run.jobName);
  switch (run.result) {
    case 'Succeeded':
    case 'Failed':
      return broken({
        [`${run.jobName} has ${run.result}`]: ending.kind === run.result,
        [`${run.jobName} ended when it did`]: isEndedAt(run, job, write),
        [`${run.jobName} failed for its reason, not ${run.reason}`]: isReason(run, job, write),
      });
    case 'Running':
      return broken({
        [`${run.jobName} runs: nobody has seen its end`]: !pass.hasSeenEnd(uid),
        [`${run.jobName} runs: its Job is there`]: isThere,
      });
    case 'Unknown':
      return broken({
        [`the end of ${run.jobName} is unknown: nobody has seen it`]:
          !pass.hasSeenEnd(uid) || run.reason !== 'JobDeleted',
        [`the end of ${run.jobName} is unknown: its Job is gone`]: isGone || !isThere,
      });
    case 'Replaced':
      return broken({
        [`${run.jobName} was replaced under Replace`]: isReplace(base) || ledger.book.replaced.has(uid),
        [`${run.jobName} was replaced by a newer run`]: ledger.book.hasNewer(job) || ledger.book.replaced.has(uid),
      });
  }
}

function isReplace({ spec }: CronJob): boolean {
  return spec.concurrencyPolicy === 'Replace';
}

function isEndedAt({ completionTime }: RecentRun, job: Job, { ledger }: StatusWrite): boolean {
  const ending = ledger.book.endingOf(job);
  return ending.kind !== 'Active' && sameInstant(completionTime, ending.at === '' ? undefined : instantOf(ending.at));
}

function isReason({ reason }: RecentRun, job: Job, { ledger, note }: StatusWrite): boolean {
  const last = ledger.book.lastOf(job);
  const failed = last?.status?.conditions?.find(({ type }) => type === 'Failed');
  const isTimeout = failed?.reason === 'DeadlineExceeded' && last?.metadata.annotations?.[START_TIMEOUT_ANNOTATION];
  if (isTimeout) note('start timed out');
  return reason === (isTimeout ? 'StartTimeout' : failed?.reason);
}

/** Every run that the process has seen is listed, was listed, or is older than a full list. */
function missing({ base, pass, ledger }: StatusWrite, runs: readonly RecentRun[]): readonly string[] {
  const limit = listLimitOf(base);
  const oldest = runs.length >= limit ? runs.at(-1)?.createdTime : undefined;
  if (limit === 0) return [];
  const names = new Set(runs.map(({ jobName }) => jobName));
  const open = ledger.book.unlisted().filter(({ job }) => {
    const { uid, name, creationTimestamp } = job.metadata;
    const isOld = oldest !== undefined && new Date(creationTimestamp) <= oldest;
    return pass.hasSeen(uid) && !names.has(name) && !isOld;
  });
  return open.map(({ job }) => `a run that was seen is listed (${job.metadata.name})`);
}

function lost(before: readonly RecentRun[], { base, status }: StatusWrite, keys: readonly string[]): readonly string[] {
  const isCut = (status.recentRuns ?? []).length >= listLimitOf(base);
  const gone = before.map(keyOf).filter((key) => !keys.includes(key));
  return isCut ? [] : gone.map((key) => `a run that was listed stays (${key})`);
}
