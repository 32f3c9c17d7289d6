import type { VNode } from 'preact';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { listScheduleTexts } from '../../plugin/report/cron-job-schedule.ts';
import { describeRun, describeSkip, formatLocalTime } from '../../plugin/report/sentences.ts';
import type { RunMark, SkipMark, TimelineMarks } from '../model/timeline-marks.ts';
import type { TimeRange } from '../model/view.ts';
import { RESULT_ICONS, SKIP_ICON } from '../parts/badges.tsx';
import { describeMarks } from './describe-marks.ts';
import { placeSkipNote } from './skip-note.ts';
import type { TimeScale } from './time-scale.ts';

/** The minimum width of a bar in pixels, so that short runs are visible. */
const MIN_RUN_WIDTH = 5;
/** The minimum width in pixels of a bar that contains an icon. */
const MIN_GLYPH_WIDTH = 12;
/** The distance in pixels at which upcoming times merge into one band. */
const MERGE_DISTANCE = 10;

interface RowTimelineProps {
  readonly cronJob: CronJob;
  readonly marks: TimelineMarks;
  readonly scale: TimeScale;
  readonly now: Date;
  readonly height: number;
  /**
   * Handles a click. `entryTime` is the RFC 3339 time of the clicked entry, or an empty string for a click outside of
   * all entries.
   */
  readonly onSelect: (entryTime: string) => void;
}

/** Shows runs as bars, skips and upcoming times as marks, and the current time as a line. */
export function RowTimeline({ cronJob, marks, scale, now, height, onSelect }: RowTimelineProps) {
  const nowX = scale.toX(now.getTime());
  const middle = height / 2;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users use the link of the row and the table of runs
    <svg
      class="row-timeline"
      onClick={({ target }) => onSelect(getClickedTime(target))}
      width={scale.width}
      height={height}
      role="img"
      aria-label={describeMarks(cronJob, marks, now)}
    >
      {scale.ticks.map(({ x, isDayStart }) => (
        <line key={x} class={isDayStart ? 'grid day' : 'grid'} x1={x} x2={x} y1={0} y2={height} />
      ))}
      <UnknownRange {...{ cronJob, marks, scale, height }} />
      <InactiveRange {...{ cronJob, marks, scale, height }} />
      <UpcomingMarks {...{ cronJob, marks, scale, middle }} />
      {marks.runs.toReversed().map((mark) => (
        <RunBar key={mark.run.jobName} {...{ cronJob, mark, scale, middle }} />
      ))}
      <line class="now" x1={nowX} x2={nowX} y1={0} y2={height} />
      {marks.skips.map((mark) => (
        <SkipMarker key={mark.fromMs} {...{ cronJob, mark, marks, scale, middle, nowX }} />
      ))}
    </svg>
  );
}

/** Returns an empty string for a click outside of all marks. */
function getClickedTime(target: EventTarget | null): string {
  return (target instanceof Element && target.closest<SVGElement>('[data-at]')?.dataset['at']) || '';
}

/** Marks the range for which the status has no data. */
function UnknownRange({
  marks: { unknownRange },
  scale,
  height,
}: Pick<RowTimelineProps, 'marks' | 'scale' | 'height'>) {
  if (unknownRange === undefined) return null;
  const x = Math.max(0, scale.toX(unknownRange.fromMs));
  return (
    <rect
      class="no-data"
      x={x}
      y={0}
      width={scale.toX(unknownRange.untilMs) - x}
      height={height}
      data-tooltip="No data: the status lists only newer runs"
    />
  );
}

function InactiveRange({
  cronJob,
  marks: { inactiveRange },
  scale,
  height,
}: Omit<RowTimelineProps, 'now' | 'onSelect'>) {
  if (inactiveRange === undefined) return null;
  const leftX = Math.max(0, scale.toX(inactiveRange.fromMs));
  const rightX =
    inactiveRange.untilMs === Number.POSITIVE_INFINITY
      ? scale.width
      : Math.min(scale.toX(inactiveRange.untilMs), scale.width);
  if (rightX <= leftX) return null;
  return (
    <rect
      class="inactive"
      x={leftX}
      y={0}
      width={rightX - leftX}
      height={height}
      data-tooltip={`No run starts: ${describeInactivity(cronJob, inactiveRange)}`}
    />
  );
}

function describeInactivity(cronJob: CronJob, { untilMs }: TimeRange): string {
  if (cronJob.status?.paused) return 'paused after too many failed runs in a row, until you resume it';
  if (untilMs === Number.POSITIVE_INFINITY) return 'suspended, until you resume it';
  return `suspended until ${formatLocalTime(cronJob, new Date(untilMs))}`;
}

interface MarkProps extends Pick<RowTimelineProps, 'cronJob' | 'scale'> {
  /** The vertical middle of the row in pixels. */
  readonly middle: number;
}

function RunBar({ cronJob, mark, scale, middle }: MarkProps & { readonly mark: RunMark }) {
  const { run } = mark;
  const { glyph, tone } = RESULT_ICONS[run.result];
  const x = scale.toX(mark.fromMs);
  const width = Math.max(MIN_RUN_WIDTH, scale.toX(mark.untilMs) - x);
  const isWide = width >= MIN_GLYPH_WIDTH;
  return (
    <g class={`run ${tone} ${run.result}`} data-tooltip={describeRun(cronJob, run)} data-at={toRfc3339(mark.timeMs)}>
      <rect x={x} y={middle - 7} width={width} height={14} rx={2} />
      {(isWide || run.result !== 'Succeeded') && (
        <text class={isWide ? 'inside' : 'above'} x={x + width / 2} y={isWide ? middle + 4 : middle - 8}>
          {glyph}
        </text>
      )}
    </g>
  );
}

interface SkipProps extends MarkProps {
  readonly mark: SkipMark;
  readonly marks: TimelineMarks;
  readonly nowX: number;
}

function SkipMarker({ cronJob, mark, marks, scale, middle, nowX }: SkipProps): VNode {
  const x = scale.toX(mark.fromMs);
  const lastX = scale.toX(mark.untilMs);
  const { skip } = mark;
  const note = placeSkipNote(mark, { marks, scale, nowX });
  return (
    <g class="skip" data-tooltip={describeSkip(cronJob, skip.lastTime, skip)} data-at={toRfc3339(mark.timeMs)}>
      {lastX > x && <line x1={x} x2={lastX} y1={middle} y2={middle} />}
      <text class="icon" x={lastX} y={middle + 5}>
        {SKIP_ICON.glyph}
      </text>
      {note && (
        <text class="reason" x={note.x} y={middle + 4} text-anchor={note.anchor}>
          {note.text}
        </text>
      )}
    </g>
  );
}

function toRfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

interface UpcomingProps extends MarkProps {
  readonly marks: TimelineMarks;
}

function UpcomingMarks({ cronJob, marks: { upcomingMs, hasMoreUpcoming }, scale, middle }: UpcomingProps) {
  const bands = mergeIntoBands(upcomingMs.map((ms) => scale.toX(ms)));
  const lastBand = bands.at(-1);
  if (hasMoreUpcoming && lastBand) lastBand.untilX = scale.width;
  let upcomingIndex = 0;
  return (
    <g class="upcoming">
      {bands.map(({ fromX, untilX, count }) => {
        const firstMs = upcomingMs[upcomingIndex] ?? 0;
        upcomingIndex += count;
        return (
          <g
            key={fromX}
            data-tooltip={
              count === 1 && !hasMoreUpcoming
                ? `Due ${formatLocalTime(cronJob, new Date(firstMs))}`
                : `Due often: ${listScheduleTexts(cronJob).join(', ')}`
            }
          >
            {untilX - fromX < 1 ? (
              <circle cx={fromX} cy={middle} r={3.5} />
            ) : (
              <rect x={fromX - 3} y={middle - 4} width={untilX - fromX + 6} height={8} rx={4} />
            )}
          </g>
        );
      })}
    </g>
  );
}

interface UpcomingBand {
  readonly fromX: number;
  untilX: number;
  count: number;
}

/** @param positions Positions from left to right. */
function mergeIntoBands(positions: readonly number[]): readonly UpcomingBand[] {
  const bands: UpcomingBand[] = [];
  for (const x of positions) {
    const lastBand = bands.at(-1);
    if (lastBand && x - lastBand.untilX < MERGE_DISTANCE) {
      lastBand.untilX = x;
      lastBand.count++;
    } else bands.push({ fromX: x, untilX: x, count: 1 });
  }
  return bands;
}
