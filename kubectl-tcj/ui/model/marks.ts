/** What the timeline of a CronJob shows: its runs, its skips, the times that come, and what is not known. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { scheduleOf } from '../../plugin/report/schedule-of.ts';
import { type Entry, type Timeline, timelineOf } from '../../plugin/report/timeline.ts';
import type { TimeRange } from './view.ts';

/** `atMs` is that of {@link Entry.at}. */
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
  /** Unix milliseconds, the earliest first. */
  readonly coming: readonly number[];
  /** There are more coming than {@link MAX_COMING}: from the last one to the end of what is shown. */
  readonly hasMore: boolean;
  /** The part of the time of which nothing is known: the lists of the status are full, so that older runs may have left them. */
  readonly unknown: TimeRange | undefined;
  /** Nothing starts by itself in it; its end is infinite where somebody has to resume it. */
  readonly silence: TimeRange | undefined;
  /** Nothing is in the time, and nothing may have been. */
  readonly isEmpty: boolean;
}

/** More could not be told apart. */
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

/** From when it was created. */
function unknownOf({ metadata }: CronJob, knownFrom: Date | undefined, range: TimeRange): TimeRange | undefined {
  if (knownFrom === undefined) return undefined;
  const createdMs = parseTime(metadata.creationTimestamp)?.getTime() ?? Number.NEGATIVE_INFINITY;
  const fromMs = Math.max(range.fromMs, createdMs);
  const untilMs = Math.min(range.untilMs, knownFrom.getTime());
  return fromMs < untilMs ? { fromMs, untilMs } : undefined;
}

/** Each object is new when it has changed. */
const timelines = new WeakMap<CronJob, Timeline>();

export function timelineFor(cronJob: CronJob): Timeline {
  const known = timelines.get(cronJob);
  if (known !== undefined) return known;
  const timeline = timelineOf(cronJob);
  timelines.set(cronJob, timeline);
  return timeline;
}

/** From its start, or the creation of its Job while that is not recorded. */
function rangeOfRun({ startTime, createdTime, completionTime, result }: RecentRun, now: Date): TimeRange {
  const fromMs = (startTime ?? createdTime).getTime();
  const endMs = completionTime?.getTime() ?? (result === 'Running' ? now.getTime() : fromMs);
  return { fromMs, untilMs: Math.max(fromMs, endMs) };
}

/** `undefined` where runs start. */
export function silentUntil({ spec, status }: CronJob, now: Date): number | undefined {
  if (spec.suspend || status?.paused !== undefined) return Number.POSITIVE_INFINITY;
  const until = parseTime(spec.suspendUntil)?.getTime();
  return until !== undefined && until > now.getTime() ? until : undefined;
}

/** As far as the status tells it. */
function silentSince({ status }: CronJob, now: Date): number {
  const available = getCondition(status?.conditions, 'Available');
  const suspended = available?.reason === 'Suspended' ? available.lastTransitionTime : undefined;
  const since = parseTime(status?.paused?.since ?? suspended) ?? now;
  return Math.min(since.getTime(), now.getTime());
}

/** One more than are shown, to tell whether there are more. */
function comingOf(
  cronJob: CronJob,
  { fromMs, untilMs }: TimeRange,
  now: Date,
  silentUntilMs: number | undefined,
): readonly number[] {
  const schedule = scheduleOf(cronJob);
  // The time of suspendUntil itself runs, and so does the first that is shown.
  const afterMs = Math.max(fromMs - 1, silentUntilMs === undefined ? now.getTime() : silentUntilMs - 1);
  if (schedule === undefined || afterMs >= untilMs) return [];
  const times = schedule.between(new Date(afterMs), new Date(untilMs), { limit: MAX_COMING + 1 });
  return times.map((time) => time.getTime());
}
