/** Computes the marks on the timeline of a CronJob: runs, skips, upcoming times and ranges without data. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { listStarts } from '../../../api/v1/start-changes.ts';
import { buildTimeline, type Timeline, type TimelineEntry } from '../../plugin/report/timeline.ts';
import type { TimeRange } from './view.ts';

/** The bar of a run. `timeMs` is {@link TimelineEntry.time} in Unix milliseconds. */
export interface RunMark extends TimeRange {
  readonly timeMs: number;
  readonly run: RecentRun;
}

export interface SkipMark extends TimeRange {
  readonly timeMs: number;
  readonly skip: RecentSkip;
}

export interface TimelineMarks {
  readonly runs: readonly RunMark[];
  readonly skips: readonly SkipMark[];
  /** The times of upcoming starts, including jitter, in Unix milliseconds, earliest first. */
  readonly upcomingMs: readonly number[];
  /** Whether the range has more than {@link MAX_UPCOMING_MARKS} upcoming times, so that the list is incomplete. */
  readonly hasMoreUpcoming: boolean;
  /**
   * The range without data. This field is set if the lists in the status are full, because older runs may then be
   * missing.
   */
  readonly unknownRange: TimeRange | undefined;
  /**
   * The range in which a suspension or a pause prevents all scheduled runs. The end is infinite if only a user can resume the
   * CronJob.
   */
  readonly inactiveRange: TimeRange | undefined;
  /** Whether the range has no runs, no skips, no upcoming times and no part without data. */
  readonly isEmpty: boolean;
}

/** The maximum number of marks for upcoming times. More marks would overlap. */
const MAX_UPCOMING_MARKS = 300;

export function computeMarks(cronJob: CronJob, { fromMs, untilMs }: TimeRange, now: Date): TimelineMarks {
  const { entries, completeSince } = getTimeline(cronJob);
  const { runs, skips } = listMarks(entries, { fromMs, untilMs }, now);
  const inactiveUntilMs = getInactiveUntilMs(cronJob, now);
  const unknownRange = findUnknownRange(cronJob, completeSince, { fromMs, untilMs });
  const upcomingMs = listUpcomingMs(cronJob, { fromMs, untilMs }, now);
  return {
    runs,
    skips,
    upcomingMs: upcomingMs.slice(0, MAX_UPCOMING_MARKS),
    hasMoreUpcoming: upcomingMs.length > MAX_UPCOMING_MARKS,
    unknownRange,
    inactiveRange:
      inactiveUntilMs === undefined
        ? undefined
        : { fromMs: getInactiveSinceMs(cronJob, now), untilMs: inactiveUntilMs },
    isEmpty: runs.length + skips.length + upcomingMs.length === 0 && unknownRange === undefined,
  };
}

function listMarks(
  entries: readonly TimelineEntry[],
  range: TimeRange,
  now: Date,
): Pick<TimelineMarks, 'runs' | 'skips'> {
  const runs: RunMark[] = [];
  const skips: SkipMark[] = [];
  for (const entry of entries) {
    const timeMs = entry.time.getTime();
    if (entry.kind === 'Run') runs.push({ run: entry.run, timeMs, ...getRunRange(entry.run, now) });
    else {
      const { skip } = entry;
      skips.push({ skip, timeMs, fromMs: skip.firstTime.getTime(), untilMs: skip.lastTime.getTime() });
    }
  }
  const overlapsRange = ({ fromMs, untilMs }: TimeRange) => fromMs <= range.untilMs && untilMs >= range.fromMs;
  return { runs: runs.filter(overlapsRange), skips: skips.filter(overlapsRange) };
}

function findUnknownRange(
  { metadata }: CronJob,
  completeSince: Date | undefined,
  range: TimeRange,
): TimeRange | undefined {
  if (completeSince === undefined) return undefined;
  const createdMs = parseTime(metadata.creationTimestamp)?.getTime() ?? Number.NEGATIVE_INFINITY;
  const fromMs = Math.max(range.fromMs, createdMs);
  const untilMs = Math.min(range.untilMs, completeSince.getTime());
  return fromMs < untilMs ? { fromMs, untilMs } : undefined;
}

/** A changed CronJob is a new object, so cached values are never stale. */
const timelineCache = new WeakMap<CronJob, Timeline>();

export function getTimeline(cronJob: CronJob): Timeline {
  const cached = timelineCache.get(cronJob);
  if (cached !== undefined) return cached;
  const timeline = buildTimeline(cronJob);
  timelineCache.set(cronJob, timeline);
  return timeline;
}

/** Returns the time range of a run. The range begins at the creation of the Job if the start of the run is not recorded yet. */
function getRunRange({ startTime, createdTime, completionTime, result }: RecentRun, now: Date): TimeRange {
  const fromMs = (startTime ?? createdTime).getTime();
  const endMs = completionTime?.getTime() ?? (result === 'Running' ? now.getTime() : fromMs);
  return { fromMs, untilMs: Math.max(fromMs, endMs) };
}

/**
 * Returns when the suspension or the pause ends. Returns infinity for a suspension or a pause without an end, and
 * `undefined` if scheduled runs can start.
 */
export function getInactiveUntilMs({ spec, status }: CronJob, now: Date): number | undefined {
  if (spec.suspend || status?.paused !== undefined) return Number.POSITIVE_INFINITY;
  const suspensionEndMs = parseTime(spec.suspendUntil)?.getTime();
  return suspensionEndMs !== undefined && suspensionEndMs > now.getTime() ? suspensionEndMs : undefined;
}

function getInactiveSinceMs({ status }: CronJob, now: Date): number {
  const available = getCondition(status?.conditions, 'Available');
  const suspendedSince = available?.reason === 'Suspended' ? available.lastTransitionTime : undefined;
  const inactiveSince = parseTime(status?.paused?.since ?? suspendedSince) ?? now;
  return Math.min(inactiveSince.getTime(), now.getTime());
}

/**
 * Returns the times at which runs start, including jitter, but at most {@link MAX_UPCOMING_MARKS} + 1 of them. The
 * last one shows the caller that the timeline has too many times to draw.
 */
function listUpcomingMs(cronJob: CronJob, { fromMs, untilMs }: TimeRange, now: Date): readonly number[] {
  // A run can start exactly at the start of the range.
  const after = new Date(Math.max(fromMs - 1, now.getTime()));
  const { starts } = listStarts(cronJob, { now: after, until: new Date(untilMs), limit: MAX_UPCOMING_MARKS + 1 });
  return starts.map(({ time }) => time.getTime()).filter((timeMs) => timeMs <= untilMs);
}
