/** `status.recentRuns`: the newest runs and their results, which stay when the Jobs are gone. */
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, latest, parseTime, wholeSeconds } from '../../api/time.ts';
import { DEFAULT_RECENT_RUNS_LIMIT, MAX_RECENT_RUNS_LIMIT } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import {
  areOfOneRun,
  formatRecentRun,
  isLineOf,
  lineOfVanished,
  type RecentRunStart,
  type RunResult,
  resultIn,
  startOfRecentRun,
} from '../../api/v1/recent-lines.ts';
import { createdAt, firstTimeOf, type Run, startedAt } from './job.ts';

/** What a pass knows of runs. */
export interface Known {
  readonly cronJob: CronJob;
  readonly status: CronJobStatus;
  /** `status.recentRuns`, each run once. */
  readonly ledger: Ledger;
}

/** With what the pass found of the Jobs. */
interface KnownJobs extends Known {
  readonly isIncomplete: boolean;
}

/** Lines, newest first, one for each run. A line that cannot be read is kept. */
export type Ledger = readonly string[];

export function ledgerOf(lines: readonly string[] = []): Ledger {
  return lines.some(isRepeated) ? lines.filter((line, index) => !isRepeated(line, index, lines)) : lines;
}

/** Of a run that is there twice, the first line is the newer one. */
function isRepeated(line: string, index: number, lines: readonly string[]): boolean {
  let earlierIndex = 0;
  for (const earlier of lines) {
    if (earlierIndex++ === index) break;
    if (areOfOneRun(earlier, line)) return true;
  }
  return false;
}

/** The line of a run. A Job that somebody has created anew, under the same name and for the same slot, is the same run. */
function lineIn(ledger: Ledger, run: Run): string | undefined {
  const time = firstTimeOf(run);
  const { name } = run.job.metadata;
  return ledger.find((line) => isLineOf(line, time, name));
}

/** With the changes in the places of the lines of the same runs, and the others at the end. */
function merged(ledger: Ledger, changes: Ledger): Ledger {
  if (changes.length === 0) return ledger;
  const all = [...ledger];
  for (const change of changes) {
    const index = ledger.findIndex((line) => areOfOneRun(line, change));
    all[index < 0 ? all.length : index] = change;
  }
  return all;
}

/** How many runs, and how many skips, the status lists. */
export function recentLimitOf({ recentRunsLimit: limit = DEFAULT_RECENT_RUNS_LIMIT }: CronJob['spec']): number {
  return Math.min(Math.max(0, limit), MAX_RECENT_RUNS_LIMIT);
}

/** The runs that a pass has seen and made. */
export interface SeenRuns {
  /** Those that exist, with the one that the pass has started. */
  readonly runs: readonly Run[];
  /** Jobs that the pass has deleted to replace them. */
  readonly replaced: readonly Job[];
}

/** The lines after a pass, newest first; `undefined` when there are none. */
export function recentRunsAfter(known: KnownJobs, seen: SeenRuns): readonly string[] | undefined {
  const { cronJob, status, ledger, isIncomplete } = known;
  const limit = recentLimitOf(cronJob.spec);
  const changes = changesOf(known, seen).concat(isIncomplete ? [] : vanishedOf(known, seen));
  if (changes.length === 0 && ledger.length <= limit) return status.recentRuns;
  const all = withChanges(ledger, changes).slice(0, limit);
  return all.length === 0 ? undefined : all;
}

/**
 * The stored lines, and those of the pending status that are new or changed since `base`. Each run once: the line that tells its end, if one
 * does. `undefined` when there are none.
 */
export function mergedRuns(
  stored: readonly string[] = [],
  pending: readonly string[] = [],
  base: readonly string[] = [],
): readonly string[] | undefined {
  const ledger = ledgerOf(stored);
  const isNews = (line: string) => {
    if (base.includes(line)) return false;
    const known = ledger.find((each) => areOfOneRun(each, line));
    return known === undefined || !isOver(known);
  };
  const lines = withChanges(ledger, ledgerOf(pending).filter(isNews));
  return lines.length === 0 ? undefined : lines;
}

/** With the changes in the places of the lines of the same runs, and the others at theirs. */
function withChanges(ledger: Ledger, changes: Ledger): Ledger {
  const lines = merged(ledger, changes);
  return withLines(lines.slice(0, ledger.length), lines.slice(ledger.length));
}

/** Of runs whose Jobs exist: new lines, and those that differ from what they were before. */
function changesOf(known: Known, { runs, replaced }: SeenRuns): Ledger {
  const { cronJob, ledger } = known;
  const newest = runs.some(({ job }) => isBeingDeleted(job)) ? newestOf(known, runs) : undefined;
  const going = new Set(replaced.map(({ metadata }) => metadata.uid));
  let oldest: Date | undefined;
  const isRecent = (run: Run) => {
    oldest ??= oldestListed(known, recentLimitOf(cronJob.spec));
    return isAfter(createdAt(run), oldest);
  };
  const changes: string[] = [];
  for (const run of runs) {
    const line = lineIn(ledger, run);
    const result = run.state === 'Active' ? activeResult(run, { going, newest }) : run.state;
    const isNews = line === undefined ? isRecent(run) : resultIn(line) !== result && !isOver(line);
    if (isNews) changes.push(lineOf(run, result));
  }
  return changes;
}

/** Of runs that were active, and whose Jobs are gone. */
function vanishedOf(known: Known, { runs }: SeenRuns): Ledger {
  const running = known.ledger.filter((line) => resultIn(line) === 'Running');
  if (running.length === 0) return [];
  const present = new Set(runs.map((run) => lineIn(running, run)));
  const gone = running.filter((line) => !present.has(line));
  if (gone.length === 0) return [];
  const newest = newestOf(known, runs);
  return gone.map((line) => lineOfVanished(line, isFollowed(startOfRecentRun(line), newest) ? 'Replaced' : 'Unknown'));
}

interface Replacing {
  /** UIDs of Jobs that were deleted to replace them. */
  readonly going: ReadonlySet<string>;
  readonly newest: Newest | undefined;
}

function activeResult(run: Run, { going, newest }: Replacing): 'Replaced' | 'Running' {
  const isReplaced = going.has(run.job.metadata.uid) || (isBeingDeleted(run.job) && isFollowed(run, newest));
  return isReplaced ? 'Replaced' : 'Running';
}

function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether the run has ended, and nothing more will be known of it. A line that cannot be read says no more, either. */
function isOver(line: string): boolean {
  const result = resultIn(line);
  return result !== 'Running' && result !== 'Unknown';
}

/** What may have replaced runs: of those that exist and those that are listed, the newest times. */
interface Newest {
  readonly created: Date | undefined;
  readonly slot: Date | undefined;
}

/** @returns `undefined` when nothing replaces runs. */
function newestOf({ cronJob, status }: Known, runs: readonly Run[]): Newest | undefined {
  if (cronJob.spec.concurrencyPolicy !== 'Replace') return undefined;
  const listed = status.recentRuns?.map(startOfRecentRun) ?? [];
  return {
    created: latest(...runs.map(createdAt), ...listed.map((run) => run?.createdTime)),
    slot: latest(...runs.map((run) => run.slot), ...listed.map((run) => run?.scheduledTime)),
  };
}

/** Whether a newer run may have replaced this one. */
function isFollowed(run: Run | RecentRunStart | undefined, newest: Newest | undefined): boolean {
  if (newest === undefined || run === undefined) return false;
  const [created, slot] = 'job' in run ? [createdAt(run), run.slot] : [run.createdTime, run.scheduledTime];
  const isSlotOlder = slot !== undefined && newest.slot !== undefined && isAfter(newest.slot, slot);
  return isSlotOlder || (newest.created !== undefined && isAfter(newest.created, created));
}

function lineOf(run: Run, result: RunResult): string {
  const { job, trigger, slot, finishedAt, failureReason: reason, message } = run;
  const startTime = finishedAt && startedAt(run);
  return formatRecentRun({
    jobName: job.metadata.name,
    trigger,
    ...(slot && { scheduledTime: slot }),
    createdTime: createdAt(run),
    ...(finishedAt && { completionTime: finishedAt, ...(startTime && { startTime }) }),
    result,
    ...(reason && { reason }),
    ...(message && { message }),
  });
}

/** The lines with the added ones at their places: by creation time, then by slot, then by name. Lines that cannot be read stay. */
function withLines(lines: readonly string[], added: readonly string[]): readonly string[] {
  if (lines.length === 0 && added.length < 2) return added;
  const starts = added
    .map((line) => ({ line, start: startOfRecentRun(line) }))
    .filter((each): each is AddedLine => each.start !== undefined)
    .toSorted((left, right) => byStart(left.start, right.start));
  const all = [...lines];
  let next = 0;
  for (const { line, start } of starts) {
    const older = all.findIndex((each, index) => index >= next && isOlder(each, start));
    next = older < 0 ? all.length : older;
    all.splice(next++, 0, line);
  }
  return all;
}

interface AddedLine {
  readonly line: string;
  readonly start: RecentRunStart;
}

function isOlder(line: string, start: RecentRunStart): boolean {
  const other = startOfRecentRun(line);
  return other === undefined || byStart(start, other) < 0;
}

function byStart(left: RecentRunStart, right: RecentRunStart): number {
  const slotMs = ({ scheduledTime }: RecentRunStart) => scheduledTime?.getTime() ?? 0;
  const byTime = right.createdTime.getTime() - left.createdTime.getTime() || slotMs(right) - slotMs(left);
  return byTime || (left.jobName < right.jobName ? 1 : -1);
}

/** Whether the run has finished, and the status does not have its result. */
export function isResultNew(run: Run, known: Known): boolean {
  const { cronJob, status, ledger } = known;
  if (run.state === 'Active') return false;
  const line = lineIn(ledger, run);
  if (line !== undefined) return !isOver(line);
  if (status.recentRuns && isAfter(createdAt(run), oldestListed(known, recentLimitOf(cronJob.spec)))) return true;
  if (status.active?.some(({ uid }) => uid === run.job.metadata.uid)) return true;
  const recorded = latest(parseTime(status.lastSuccessfulTime), parseTime(status.lastFailureTime));
  return run.finishedAt !== undefined && (recorded === undefined || run.finishedAt > recorded);
}

/**
 * Whether the status tells how the Job of an active run has ended, or that it was deleted to be replaced: then what the cache has of the Job is
 * older than the status. Another Job that somebody has created under its name is as new as it says.
 */
export function isOutdated(run: Run, { ledger, status }: Pick<Known, 'ledger' | 'status'>): boolean {
  if (run.state !== 'Active') return false;
  const line = lineIn(ledger, run);
  if (line === undefined) return hasEndedAsLastRun(run, status);
  const result = resultIn(line);
  const isReplaced = result === 'Replaced' && !isBeingDeleted(run.job);
  if (!isReplaced && !ENDS.includes(result)) return false;
  return startOfRecentRun(line)?.createdTime.getTime() === wholeSeconds(createdAt(run)).getTime();
}

/** With a limit of 0 there are no lines. */
function hasEndedAsLastRun(run: Run, { lastRun }: CronJobStatus): boolean {
  const endedAt = parseTime(lastRun?.completionTime);
  return lastRun?.jobName === run.job.metadata.name && endedAt !== undefined && !isAfter(createdAt(run), endedAt);
}

/** The results that Jobs say of themselves. */
const ENDS: readonly (RunResult | undefined)[] = ['Succeeded', 'Failed'];

/** A run that no line records gets one when its Job was created after this: the oldest line is the last one of a full list. */
function oldestListed({ ledger }: Pick<Known, 'ledger'>, limit: number): Date {
  if (ledger.length < limit) return BEFORE_ALL;
  for (const line of ledger.toReversed()) {
    const start = startOfRecentRun(line);
    if (start !== undefined) return start.createdTime;
  }
  return BEFORE_ALL;
}

const BEFORE_ALL = new Date(-1);

/** Whether the Job may be deleted without a result being lost: its line has it, or there are only newer ones. */
export function isResultListed(
  run: Run,
  lines: readonly string[] | undefined,
  { spec }: Pick<CronJob, 'spec'>,
): boolean {
  const ledger = ledgerOf(lines);
  const line = lineIn(ledger, run);
  return line === undefined ? ledger.length >= recentLimitOf(spec) : resultIn(line) !== 'Running';
}
