/** Reads the past runs and the skipped times of a CronJob from its status. */

import { getCondition } from 'controller-runtime/kubernetes';
import { findLatest, isAfter } from '../../../api/time.ts';
import { canRunWait, getMaxConcurrentRuns } from '../../../api/v1/concurrency.ts';
import { DEFAULT_RECENT_RUNS_LIMIT } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseRecentRun, parseRecentSkip, type RecentRun, type RecentSkip } from '../../../api/v1/recent-lines.ts';
import { getWaitingJobNames } from '../../../api/v1/reported-keys.ts';

export type TimelineEntry =
  | { readonly kind: 'Run'; readonly time: Date; readonly run: RecentRun }
  /** A skip is one or more consecutive scheduled times without a run; `time` is the last of these times. */
  | { readonly kind: 'Skip'; readonly time: Date; readonly skip: RecentSkip };

export interface Timeline {
  /** The entries are sorted by time, newest first. Invalid lines in the status are ignored. */
  readonly entries: readonly TimelineEntry[];
  /**
   * The entries contain every run and skip since this time. `undefined` means that the status still lists all runs and
   * skips.
   */
  readonly completeSince?: Date;
}

type TimelineSource = Pick<CronJob, 'spec' | 'status'>;

export function buildTimeline({ spec, status = {} }: TimelineSource): Timeline {
  const { recentRuns = [], recentSkips = [] } = status;
  const runs = recentRuns.flatMap((line): TimelineEntry[] => {
    const run = parseRecentRun(line);
    return run ? [{ kind: 'Run', time: getRunTime(run), run }] : [];
  });
  const skips = recentSkips.flatMap((line): TimelineEntry[] => {
    const skip = parseRecentSkip(line);
    return skip ? [{ kind: 'Skip', time: skip.lastTime, skip }] : [];
  });
  const limit = spec.recentRunsLimit ?? DEFAULT_RECENT_RUNS_LIMIT;
  const completeSince = findLatest(
    recentRuns.length >= limit ? runs.at(-1)?.time : undefined,
    recentSkips.length >= limit ? skips.at(-1)?.time : undefined,
  );
  const entries = [...runs, ...skips].toSorted((left, right) => right.time.getTime() - left.time.getTime());
  return { entries, ...(completeSince && { completeSince }) };
}

/** Returns the scheduled time of a run, or the creation time of the Job for a manual run. */
export function getRunTime({ scheduledTime, createdTime }: RecentRun): Date {
  return scheduledTime ?? createdTime;
}

export function findEntry({ entries }: Timeline, slot: Date): TimelineEntry | undefined {
  return entries.find((entry) =>
    entry.kind === 'Run'
      ? entry.run.scheduledTime?.getTime() === slot.getTime()
      : !isAfter(entry.skip.firstTime, slot) && !isAfter(slot, entry.skip.lastTime),
  );
}

/** Returns the runs, newest first. */
export function listRuns(cronJob: TimelineSource): readonly RecentRun[] {
  return buildTimeline(cronJob).entries.flatMap((entry) => (entry.kind === 'Run' ? [entry.run] : []));
}

/** Returns the Job names of runs that wait for an active run to end, or for the Pods of a finished run. */
export function listWaitingRuns({ spec, status = {} }: TimelineSource): readonly string[] {
  const mayWait = canRunWait(spec) && ((status.activeCount ?? 0) > 0 || getMaxConcurrentRuns(spec) !== undefined);
  return mayWait ? getWaitingJobNames(status) : [];
}

/**
 * Returns the message of the condition Progressing if runs wait only for the Pods of finished Jobs. The status does not
 * name the finished Jobs elsewhere.
 */
export function findPodWaitMessage(cronJob: TimelineSource): string | undefined {
  const { activeCount = 0, conditions } = cronJob.status ?? {};
  const waitsForPods = activeCount === 0 && listWaitingRuns(cronJob).length > 0;
  return waitsForPods ? getCondition(conditions, 'Progressing')?.message : undefined;
}
