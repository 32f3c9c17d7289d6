/** Reads the past of a CronJob from its status: its runs, and the skipped scheduled times with their reasons. */
import { isAfter, latest } from '../../../api/time.ts';
import { DEFAULT_RECENT_RUNS_LIMIT } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseRecentRun, parseRecentSkip, type RecentRun, type RecentSkip } from '../../../api/v1/recent-lines.ts';
import { getWaitingJobNames } from '../../../api/v1/reported.ts';

export type TimelineEntry =
  | { readonly kind: 'Run'; readonly at: Date; readonly run: RecentRun }
  /** `at` is the last scheduled time of the skip. */
  | { readonly kind: 'Skip'; readonly at: Date; readonly skip: RecentSkip };

export interface Timeline {
  /** Newest first. Skips lines that cannot be parsed. */
  readonly entries: readonly TimelineEntry[];
  /** Entries before this time may have left the lists. Absent while the lists are not full. */
  readonly knownFrom?: Date;
}

type TimelineSource = Pick<CronJob, 'spec' | 'status'>;

export function buildTimeline({ spec, status = {} }: TimelineSource): Timeline {
  const { recentRuns = [], recentSkips = [] } = status;
  const runs = recentRuns.flatMap((line): TimelineEntry[] => {
    const run = parseRecentRun(line);
    return run ? [{ kind: 'Run', at: getRunTime(run), run }] : [];
  });
  const skips = recentSkips.flatMap((line): TimelineEntry[] => {
    const skip = parseRecentSkip(line);
    return skip ? [{ kind: 'Skip', at: skip.lastTime, skip }] : [];
  });
  const limit = spec.recentRunsLimit ?? DEFAULT_RECENT_RUNS_LIMIT;
  const knownFrom = latest(
    recentRuns.length >= limit ? runs.at(-1)?.at : undefined,
    recentSkips.length >= limit ? skips.at(-1)?.at : undefined,
  );
  const entries = [...runs, ...skips].toSorted((left, right) => right.at.getTime() - left.at.getTime());
  return { entries, ...(knownFrom && { knownFrom }) };
}

/** When the run was scheduled; for a run without a schedule, when its Job was created. */
export function getRunTime({ scheduledTime, createdTime }: RecentRun): Date {
  return scheduledTime ?? createdTime;
}

/** The entry for a scheduled time. */
export function findEntry({ entries }: Timeline, slot: Date): TimelineEntry | undefined {
  return entries.find((entry) =>
    entry.kind === 'Run'
      ? entry.run.scheduledTime?.getTime() === slot.getTime()
      : !isAfter(entry.skip.firstTime, slot) && !isAfter(slot, entry.skip.lastTime),
  );
}

/** Newest first. */
export function listRuns(cronJob: TimelineSource): readonly RecentRun[] {
  return buildTimeline(cronJob).entries.flatMap((entry) => (entry.kind === 'Run' ? [entry.run] : []));
}

/** Names of the Jobs that wait until the active run has ended (concurrencyPolicy Forbid). */
export function listWaitingRuns({ spec, status = {} }: TimelineSource): readonly string[] {
  return spec.concurrencyPolicy === 'Forbid' && (status.activeCount ?? 0) > 0 ? getWaitingJobNames(status) : [];
}
