/** The marks on the timeline of a CronJob: its runs, its skips, its upcoming times, and the unknown part. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { parseCronJobSchedule } from '../../plugin/report/cron-job-schedule.ts';
import { buildTimeline, type Timeline, type TimelineEntry } from '../../plugin/report/timeline.ts';
import type { TimeRange } from './view.ts';

/** `atMs` is the time of {@link TimelineEntry.at}. */
export interface RunMark extends TimeRange {
  readonly atMs: number;
  readonly run: RecentRun;
}

export interface SkipMark extends TimeRange {
  readonly atMs: number;
  readonly skip: RecentSkip;
}

export interface Marks {
  readonly runs: readonly RunMark[];
  readonly skips: readonly SkipMark[];
  /** Unix milliseconds, earliest first. */
  readonly upcoming: readonly number[];
  /** Whether there are more than {@link MAX_UPCOMING} upcoming times; the rest are between the last one and the end of the shown time. */
  readonly hasMoreUpcoming: boolean;
  /** The part without data: the lists of the status are full, so they may lack older runs. */
  readonly unknown: TimeRange | undefined;
  /** The part in which no scheduled run starts; its end is infinite when a user has to resume the CronJob. */
  readonly inactive: TimeRange | undefined;
  /** Whether the shown time has no entry and no unknown part. */
  readonly isEmpty: boolean;
}

/** More marks could not be distinguished. */
const MAX_UPCOMING = 300;

export function computeMarks(cronJob: CronJob, { fromMs, untilMs }: TimeRange, now: Date): Marks {
  const { entries, knownFrom } = getTimeline(cronJob);
  const { runs, skips } = listMarks(entries, { fromMs, untilMs }, now);
  const inactiveUntilMs = getInactiveUntilMs(cronJob, now);
  const unknown = findUnknownRange(cronJob, knownFrom, { fromMs, untilMs });
  const upcoming = listUpcoming(cronJob, { fromMs, untilMs }, now, inactiveUntilMs);
  return {
    runs,
    skips,
    upcoming: upcoming.slice(0, MAX_UPCOMING),
    hasMoreUpcoming: upcoming.length > MAX_UPCOMING,
    unknown,
    inactive:
      inactiveUntilMs === undefined
        ? undefined
        : { fromMs: getInactiveSinceMs(cronJob, now), untilMs: inactiveUntilMs },
    isEmpty: runs.length + skips.length + upcoming.length === 0 && unknown === undefined,
  };
}

function listMarks(entries: readonly TimelineEntry[], range: TimeRange, now: Date): Pick<Marks, 'runs' | 'skips'> {
  const runs: RunMark[] = [];
  const skips: SkipMark[] = [];
  for (const entry of entries) {
    const atMs = entry.at.getTime();
    if (entry.kind === 'Run') runs.push({ run: entry.run, atMs, ...getRunRange(entry.run, now) });
    else {
      const { skip } = entry;
      skips.push({ skip, atMs, fromMs: skip.firstTime.getTime(), untilMs: skip.lastTime.getTime() });
    }
  }
  const overlapsRange = ({ fromMs, untilMs }: TimeRange) => fromMs <= range.untilMs && untilMs >= range.fromMs;
  return { runs: runs.filter(overlapsRange), skips: skips.filter(overlapsRange) };
}

/** Starts when the CronJob was created. */
function findUnknownRange({ metadata }: CronJob, knownFrom: Date | undefined, range: TimeRange): TimeRange | undefined {
  if (knownFrom === undefined) return undefined;
  const createdMs = parseTime(metadata.creationTimestamp)?.getTime() ?? Number.NEGATIVE_INFINITY;
  const fromMs = Math.max(range.fromMs, createdMs);
  const untilMs = Math.min(range.untilMs, knownFrom.getTime());
  return fromMs < untilMs ? { fromMs, untilMs } : undefined;
}

/** A changed CronJob is a new object, so the key is never stale. */
const timelines = new WeakMap<CronJob, Timeline>();

export function getTimeline(cronJob: CronJob): Timeline {
  const cached = timelines.get(cronJob);
  if (cached !== undefined) return cached;
  const timeline = buildTimeline(cronJob);
  timelines.set(cronJob, timeline);
  return timeline;
}

/** From the start of the run, or from the creation of its Job until the start is recorded. */
function getRunRange({ startTime, createdTime, completionTime, result }: RecentRun, now: Date): TimeRange {
  const fromMs = (startTime ?? createdTime).getTime();
  const endMs = completionTime?.getTime() ?? (result === 'Running' ? now.getTime() : fromMs);
  return { fromMs, untilMs: Math.max(fromMs, endMs) };
}

/** `undefined` when runs start. */
export function getInactiveUntilMs({ spec, status }: CronJob, now: Date): number | undefined {
  if (spec.suspend || status?.paused !== undefined) return Number.POSITIVE_INFINITY;
  const until = parseTime(spec.suspendUntil)?.getTime();
  return until !== undefined && until > now.getTime() ? until : undefined;
}

/** According to the status. */
function getInactiveSinceMs({ status }: CronJob, now: Date): number {
  const available = getCondition(status?.conditions, 'Available');
  const suspended = available?.reason === 'Suspended' ? available.lastTransitionTime : undefined;
  const since = parseTime(status?.paused?.since ?? suspended) ?? now;
  return Math.min(since.getTime(), now.getTime());
}

/** Returns one more than are shown, to detect that there are more. */
function listUpcoming(
  cronJob: CronJob,
  { fromMs, untilMs }: TimeRange,
  now: Date,
  inactiveUntilMs: number | undefined,
): readonly number[] {
  const schedule = parseCronJobSchedule(cronJob);
  // The time of suspendUntil itself runs, and so does the first shown time.
  const afterMs = Math.max(fromMs - 1, inactiveUntilMs === undefined ? now.getTime() : inactiveUntilMs - 1);
  if (schedule === undefined || afterMs >= untilMs) return [];
  const times = schedule.between(new Date(afterMs), new Date(untilMs), { limit: MAX_UPCOMING + 1 });
  return times.map((time) => time.getTime());
}
