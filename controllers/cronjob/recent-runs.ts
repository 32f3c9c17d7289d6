/** `status.recentRuns`: the newest runs and their results, which stay when the Jobs are gone. */
import type { Job } from '../../api/kubernetes.ts';
import { latest, parseTime } from '../../api/time.ts';
import { DEFAULT_RECENT_RUNS_LIMIT, MAX_RECENT_RUNS_LIMIT } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { formatRecentRun, parseRecentRun, type RecentRun } from '../../api/v1/recent-lines.ts';
import type { Run } from './job.ts';
import { lastActive, type Memory } from './memory.ts';

/** What a pass knows of runs. */
export interface Known {
  readonly cronJob: CronJob;
  readonly stored: CronJobStatus;
  /** `stored.recentRuns`, read. */
  readonly ledger: Ledger;
  readonly memory: Memory;
}

/** Lines by the run that they record. A line that cannot be read is kept, by itself. */
export type Ledger = ReadonlyMap<string, Entry>;

interface Entry {
  readonly line: string;
  readonly run: RecentRun | undefined;
}

export function ledgerOf(lines: readonly string[] = []): Ledger {
  return new Map(
    lines.map((line) => {
      const run = parseRecentRun(line);
      return [run ? keyOf(run.jobName, run.createdTime) : line, { line, run }];
    }),
  );
}

/** Another Job may have had that name. */
function keyOf(jobName: string, created: Date): string {
  return `${jobName} ${Math.floor(created.getTime() / 1000)}`;
}

function keyOfRun(run: Run): string {
  return keyOf(run.job.metadata.name, createdAt(run));
}

/** Earlier than every known time. */
const UNKNOWN_TIME = new Date(0);

export function createdAt({ createdAt: time = UNKNOWN_TIME }: Run): Date {
  return time;
}

/** How many runs, and how many skips, the status lists. */
export function recentLimitOf({ recentRunsLimit: limit = DEFAULT_RECENT_RUNS_LIMIT }: CronJob['spec']): number {
  return Math.min(Math.max(0, limit), MAX_RECENT_RUNS_LIMIT);
}

/**
 * The lines after a pass, newest first; `undefined` when there are none.
 * @param seen The runs that exist, with the one that the pass has started.
 * @param replaced Jobs that the pass has deleted to replace them.
 */
export function recentRunsAfter(
  { cronJob, stored, ledger, memory }: Known,
  seen: readonly Run[],
  replaced: readonly Job[],
): readonly string[] | undefined {
  const limit = recentLimitOf(cronJob.spec);
  const entries = new Map([...ledger, ...unstoredEntries(ledger, memory)]);
  const isReplace = cronJob.spec.concurrencyPolicy === 'Replace';
  const going = new Set([...replaced.map(({ metadata }) => metadata.uid), ...memory.replaced]);
  const newestMs = Math.max(...seen.map((run) => createdAt(run).getTime()), ...[...entries.values()].map(startedMs));
  const isFollowed = (created: Date, slot: Date | undefined) =>
    isReplace && (newestMs > created.getTime() || seen.some((run) => isLaterSlot(run, slot)));

  for (const run of seen) {
    const key = keyOfRun(run);
    const isLeaving = run.job.metadata.deletionTimestamp !== undefined && isFollowed(createdAt(run), run.slot);
    const entry = entryOf(run, entries.get(key), going.has(run.job.metadata.uid) || isLeaving);
    entries.set(key, entry);
  }
  const present = new Set(seen.map(keyOfRun));
  const goneNames = new Set(stored.active?.filter(({ uid = '' }) => going.has(uid)).map(({ name }) => name));
  for (const [key, { run }] of entries) {
    if (run?.result !== 'Running' || present.has(key)) continue;
    const isReplaced = goneNames.has(run.jobName) || isFollowed(run.createdTime, run.scheduledTime);
    entries.set(key, entryFrom({ ...run, ...(isReplaced ? { result: 'Replaced' } : VANISHED) }));
  }
  const lines = newestFirst(entries).slice(0, limit);
  return lines.length === 0 ? undefined : lines;
}

const VANISHED = { result: 'Unknown', reason: 'JobDeleted' } as const;

/** Those that an earlier pass of this process could not store, and that say more than the stored ones. */
function unstoredEntries(ledger: Ledger, { unstored }: Memory): readonly (readonly [string, Entry])[] {
  return [...ledgerOf(unstored.recentRuns)].filter(([key]) => !isOver(ledger.get(key)?.run));
}

/** Whether the run has ended, and nothing more will be known of it. */
function isOver(run: RecentRun | undefined): boolean {
  return run !== undefined && run.result !== 'Running' && run.result !== 'Unknown';
}

function isLaterSlot({ slot }: Run, than: Date | undefined): boolean {
  return slot !== undefined && than !== undefined && slot > than;
}

function entryOf(run: Run, known: Entry | undefined, isReplaced: boolean): Entry {
  const { job, trigger, slot, startedAt, finishedAt, failureReason: reason, message } = run;
  if (known && isOver(known.run)) return known;
  const result = run.state === 'Active' ? (isReplaced ? 'Replaced' : 'Running') : run.state;
  if (known?.run?.result === result) return known;
  return entryFrom({
    jobName: job.metadata.name,
    trigger,
    ...(slot && { scheduledTime: slot }),
    createdTime: createdAt(run),
    ...(finishedAt && { completionTime: finishedAt, ...(startedAt && { startTime: startedAt }) }),
    result,
    ...(reason && { reason }),
    ...(message && { message }),
  });
}

function entryFrom(run: RecentRun): Entry {
  return { line: formatRecentRun(run), run };
}

/** The line of a run that has just been started. */
export function recentRunOf(run: Run): string {
  return entryOf(run, undefined, false).line;
}

/** By creation time, then by slot, then by name. Lines that cannot be read stay last. */
function newestFirst(entries: ReadonlyMap<string, Entry>): readonly string[] {
  return [...entries.values()].toSorted(byStart).map(({ line }) => line);
}

function byStart({ run: left }: Entry, { run: right }: Entry): number {
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  const slotMs = ({ scheduledTime }: RecentRun) => scheduledTime?.getTime() ?? 0;
  const byTime = right.createdTime.getTime() - left.createdTime.getTime() || slotMs(right) - slotMs(left);
  return byTime || (left.jobName < right.jobName ? 1 : -1);
}

function startedMs({ run }: Entry): number {
  return run?.createdTime.getTime() ?? 0;
}

/** Whether the run has finished, and the stored status does not have its result. */
export function isResultNew(run: Run, { cronJob, stored, ledger, memory }: Known): boolean {
  if (run.state === 'Active') return false;
  const entry = ledger.get(keyOfRun(run));
  if (entry) return !isOver(entry.run);
  if (stored.recentRuns && isListed(run, ledger, recentLimitOf(cronJob.spec))) return true;
  if (lastActive(stored, memory).some(({ uid }) => uid === run.job.metadata.uid)) return true;
  const recorded = latest(parseTime(stored.lastSuccessfulTime), parseTime(stored.lastFailureTime));
  return run.finishedAt !== undefined && (recorded === undefined || run.finishedAt > recorded);
}

/** Whether a run that no line records would get one. */
function isListed(run: Run, ledger: Ledger, limit: number): boolean {
  return ledger.size < limit || [...ledger.values()].some((entry) => startedMs(entry) < createdAt(run).getTime());
}

/** Whether the Job may be deleted without a result being lost: its line has it, or there are only newer ones. */
export function isResultListed(
  run: Run,
  lines: readonly string[] | undefined,
  { spec }: Pick<CronJob, 'spec'>,
): boolean {
  if (lines === undefined) return true;
  const ledger = ledgerOf(lines);
  const entry = ledger.get(keyOfRun(run));
  return entry ? entry.run?.result !== 'Running' : ledger.size >= recentLimitOf(spec);
}
