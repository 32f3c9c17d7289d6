/** The marks on the timeline of a CronJob: its runs, its skips, its coming times, and the unknown part. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { scheduleOf } from '../../plugin/report/schedule-of.ts';
import { type Entry, type Timeline, timelineOf } from '../../plugin/report/timeline.ts';
import type { TimeRange } from './view.ts';

/** `atMs` is the time of {@link Entry.at}. */
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
  readonly coming: readonly number[];
  /** Whether more than {@link MAX_COMING} times are coming; the rest are between the last one and the end of the shown time. */
  readonly hasMore: boolean;
  /** The part of the time without data: the lists of the status are full, so that older runs may have left them. */
  readonly unknown: TimeRange | undefined;
  /** The part in which no scheduled run starts; its end is infinite when a user has to resume the CronJob. */
  readonly silence: TimeRange | undefined;
  /** Whether the shown time has no entry and no unknown part. */
  readonly isEmpty: boolean;
}

/** More marks could not be distinguished. */
const MAX_COMING = 300;

export function marksOf(cronJob: CronJob, { fromMs, untilMs }: TimeRange, now: Date): Marks {
  const { entries, knownFrom } = timelineFor(cronJob);
  const { runs, skips } = marksIn(entries, { fromMs, untilMs }, now);
  const silentUntilMs = silentUntil(cronJob, now);
  const unknown = unknownOf(cronJob, knownFrom, { fromMs, untilMs });
  const coming = comingOf(cronJob, { fromMs, untilMs }, now, silentUntilMs);
  return {
    runs,
    skips,
    coming: coming.slice(0, MAX_COMING),
    hasMore: coming.length > MAX_COMING,
    unknown,
    silence: silentUntilMs === undefined ? undefined : { fromMs: silentSince(cronJob, now), untilMs: silentUntilMs },
    isEmpty: runs.length + skips.length + coming.length === 0 && unknown === undefined,
  };
}

function marksIn(entries: readonly Entry[], range: TimeRange, now: Date): Pick<Marks, 'runs' | 'skips'> {
  const runs: RunMark[] = [];
  const skips: SkipMark[] = [];
  for (const entry of entries) {
    const atMs = entry.at.getTime();
    if (entry.kind === 'Run') runs.push({ run: entry.run, atMs, ...rangeOfRun(entry.run, now) });
    else {
      const { skip } = entry;
      skips.push({ skip, atMs, fromMs: skip.firstTime.getTime(), untilMs: skip.lastTime.getTime() });
    }
  }
  const isIn = ({ fromMs, untilMs }: TimeRange) => fromMs <= range.untilMs && untilMs >= range.fromMs;
  return { runs: runs.filter(isIn), skips: skips.filter(isIn) };
}

/** Starts when the CronJob was created. */
function unknownOf({ metadata }: CronJob, knownFrom: Date | undefined, range: TimeRange): TimeRange | undefined {
  if (knownFrom === undefined) return undefined;
  const createdMs = parseTime(metadata.creationTimestamp)?.getTime() ?? Number.NEGATIVE_INFINITY;
  const fromMs = Math.max(range.fromMs, createdMs);
  const untilMs = Math.min(range.untilMs, knownFrom.getTime());
  return fromMs < untilMs ? { fromMs, untilMs } : undefined;
}

/** A changed CronJob is a new object, so the key is never stale. */
const timelines = new WeakMap<CronJob, Timeline>();

export function timelineFor(cronJob: CronJob): Timeline {
  const known = timelines.get(cronJob);
  if (known !== undefined) return known;
  const timeline = timelineOf(cronJob);
  timelines.set(cronJob, timeline);
  return timeline;
}

/** From the start of the run, or from the creation of its Job until the start is recorded. */
function rangeOfRun({ startTime, createdTime, completionTime, result }: RecentRun, now: Date): TimeRange {
  const fromMs = (startTime ?? createdTime).getTime();
  const endMs = completionTime?.getTime() ?? (result === 'Running' ? now.getTime() : fromMs);
  return { fromMs, untilMs: Math.max(fromMs, endMs) };
}

/** `undefined` when runs start. */
export function silentUntil({ spec, status }: CronJob, now: Date): number | undefined {
  if (spec.suspend || status?.paused !== undefined) return Number.POSITIVE_INFINITY;
  const until = parseTime(spec.suspendUntil)?.getTime();
  return until !== undefined && until > now.getTime() ? until : undefined;
}

/** According to the status. */
function silentSince({ status }: CronJob, now: Date): number {
  const available = getCondition(status?.conditions, 'Available');
  const suspended = available?.reason === 'Suspended' ? available.lastTransitionTime : undefined;
  const since = parseTime(status?.paused?.since ?? suspended) ?? now;
  return Math.min(since.getTime(), now.getTime());
}

/** Returns one more than are shown, to detect that more are coming. */
function comingOf(
  cronJob: CronJob,
  { fromMs, untilMs }: TimeRange,
  now: Date,
  silentUntilMs: number | undefined,
): readonly number[] {
  const schedule = scheduleOf(cronJob);
  // The time of suspendUntil itself runs, and so does the first shown time.
  const afterMs = Math.max(fromMs - 1, silentUntilMs === undefined ? now.getTime() : silentUntilMs - 1);
  if (schedule === undefined || afterMs >= untilMs) return [];
  const times = schedule.between(new Date(afterMs), new Date(untilMs), { limit: MAX_COMING + 1 });
  return times.map((time) => time.getTime());
}
