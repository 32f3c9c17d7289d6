/** What the timeline of a CronJob shows: its runs, its skips, the times that come, and what is not known. */
import { parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../api/v1/recent-lines.ts';
import { scheduleOf } from '../../plugin/report/schedule-of.ts';
import { type Timeline, timelineOf } from '../../plugin/report/timeline.ts';
import type { TimeRange } from './view.ts';

export interface RunMark extends TimeRange {
  readonly run: RecentRun;
}

export interface SkipMark extends TimeRange {
  readonly skip: RecentSkip;
}

export interface Marks {
  readonly runs: readonly RunMark[];
  readonly skips: readonly SkipMark[];
  /** Unix milliseconds, the earliest first. */
  readonly coming: readonly number[];
  /** There are more coming than {@link MAX_COMING}: from the last one to the end of what is shown. */
  readonly hasMore: boolean;
  /** Before this the lists of the status are full, so that older runs may have left them. */
  readonly knownFromMs: number | undefined;
  /** Nothing starts by itself until then; infinite for as long as nobody resumes it. */
  readonly silentUntilMs: number | undefined;
  readonly isEmpty: boolean;
}

/** More could not be told apart. */
const MAX_COMING = 300;

export function marksOf(cronJob: CronJob, { fromMs, untilMs }: TimeRange, now: Date): Marks {
  const { entries, knownFrom } = timelineFor(cronJob);
  const runs: RunMark[] = [];
  const skips: SkipMark[] = [];
  for (const entry of entries) {
    if (entry.kind === 'Run') {
      const mark = { run: entry.run, ...rangeOfRun(entry.run, now) };
      if (mark.fromMs <= untilMs && mark.untilMs >= fromMs) runs.push(mark);
    } else {
      const [first, last] = [entry.skip.firstTime.getTime(), entry.skip.lastTime.getTime()];
      if (first <= untilMs && last >= fromMs) skips.push({ skip: entry.skip, fromMs: first, untilMs: last });
    }
  }
  const silentUntilMs = silentUntil(cronJob, now);
  const coming = comingOf(cronJob, { fromMs, untilMs }, now, silentUntilMs);
  return {
    runs,
    skips,
    coming: coming.slice(0, MAX_COMING),
    hasMore: coming.length > MAX_COMING,
    knownFromMs: knownFrom?.getTime(),
    silentUntilMs,
    isEmpty: runs.length + skips.length + coming.length === 0,
  };
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
