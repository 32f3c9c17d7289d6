import type { VNode } from 'preact';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { describeRun, describeSkip, formatLocalTime } from '../../plugin/report/sentences.ts';
import type { Marks, RunMark, SkipMark } from '../model/marks.ts';
import type { TimeRange } from '../model/view.ts';
import { RESULT_ICONS, SKIP_ICON } from '../parts/badges.tsx';
import { describeMarks } from './describe-marks.ts';
import { placeSkipNote } from './skip-note.ts';
import type { TimeScale } from './time-scale.ts';

/** Minimum width, so that a run of a second is visible. */
const MIN_RUN_WIDTH = 5;
/** A bar of at least this width has its icon inside. */
const GLYPH_WIDTH = 12;
/** Upcoming times closer than this are one band. */
const MERGE_DISTANCE = 5;

interface RowTimelineProps {
  readonly cronJob: CronJob;
  readonly marks: Marks;
  readonly scale: TimeScale;
  readonly now: Date;
  readonly height: number;
  /** Called on a click: with the time of the entry (RFC 3339), or empty for a click beside all entries. */
  readonly onSelect: (at: string) => void;
}

/** Bars for runs, marks for skips and for upcoming times, and a line for now. */
export function RowTimeline({ cronJob, marks, scale, now, height, onSelect }: RowTimelineProps) {
  const nowX = scale.x(now.getTime());
  const middle = height / 2;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: only for pointer users; others use the link of the row and the table of the runs
    <svg
      class="row-timeline"
      onClick={({ target }) => onSelect(getClickedTime(target))}
      width={scale.width}
      height={height}
      role="img"
      aria-label={describeMarks(cronJob, marks, now)}
    >
      {scale.ticks.map(({ x, isDay }) => (
        <line key={x} class={isDay ? 'grid day' : 'grid'} x1={x} x2={x} y1={0} y2={height} />
      ))}
      <NoData {...{ cronJob, marks, scale, height }} />
      <Inactive {...{ cronJob, marks, scale, height }} />
      <Upcoming {...{ cronJob, marks, scale, middle }} />
      {marks.runs.toReversed().map((mark) => (
        <Run key={mark.run.jobName} {...{ cronJob, mark, scale, middle }} />
      ))}
      <line class="now" x1={nowX} x2={nowX} y1={0} y2={height} />
      {marks.skips.map((mark) => (
        <Skip key={mark.fromMs} {...{ cronJob, mark, marks, scale, middle, nowX }} />
      ))}
    </svg>
  );
}

/** Empty for a click beside the marks. */
function getClickedTime(target: EventTarget | null): string {
  return (target instanceof Element && target.closest<SVGElement>('[data-at]')?.dataset['at']) || '';
}

/** The part before the lists of the status begin. */
function NoData({ marks: { unknown }, scale, height }: Pick<RowTimelineProps, 'marks' | 'scale' | 'height'>) {
  if (unknown === undefined) return null;
  const x = Math.max(0, scale.x(unknown.fromMs));
  return (
    <rect
      class="no-data"
      x={x}
      y={0}
      width={scale.x(unknown.untilMs) - x}
      height={height}
      data-tooltip="No data: the status lists only newer runs"
    />
  );
}

function Inactive({ cronJob, marks: { inactive }, scale, height }: Omit<RowTimelineProps, 'now' | 'onSelect'>) {
  if (inactive === undefined) return null;
  const from = Math.max(0, scale.x(inactive.fromMs));
  const until =
    inactive.untilMs === Number.POSITIVE_INFINITY ? scale.width : Math.min(scale.x(inactive.untilMs), scale.width);
  if (until <= from) return null;
  return (
    <rect
      class="inactive"
      x={from}
      y={0}
      width={until - from}
      height={height}
      data-tooltip={`No run starts: ${describeInactivity(cronJob, inactive)}`}
    />
  );
}

function describeInactivity(cronJob: CronJob, { untilMs }: TimeRange): string {
  if (cronJob.status?.paused) return 'paused after too many failed runs in a row, until you resume it';
  if (untilMs === Number.POSITIVE_INFINITY) return 'suspended, until you resume it';
  return `suspended until ${formatLocalTime(cronJob, new Date(untilMs))}`;
}

interface MarkProps extends Pick<RowTimelineProps, 'cronJob' | 'scale'> {
  /** Middle of the row, from its top. */
  readonly middle: number;
}

function Run({ cronJob, mark, scale, middle }: MarkProps & { readonly mark: RunMark }) {
  const { run } = mark;
  const { glyph, tone } = RESULT_ICONS[run.result];
  const x = scale.x(mark.fromMs);
  const width = Math.max(MIN_RUN_WIDTH, scale.x(mark.untilMs) - x);
  const isWide = width >= GLYPH_WIDTH;
  return (
    <g class={`run ${tone} ${run.result}`} data-tooltip={describeRun(cronJob, run)} data-at={toRfc3339(mark.atMs)}>
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
  readonly marks: Marks;
  readonly nowX: number;
}

function Skip({ cronJob, mark, marks, scale, middle, nowX }: SkipProps): VNode {
  const x = scale.x(mark.fromMs);
  const last = scale.x(mark.untilMs);
  const { skip } = mark;
  const note = placeSkipNote(mark, { marks, scale, nowX });
  return (
    <g class="skip" data-tooltip={describeSkip(cronJob, skip.lastTime, skip)} data-at={toRfc3339(mark.atMs)}>
      {last > x && <line x1={x} x2={last} y1={middle} y2={middle} />}
      <text class="icon" x={last} y={middle + 5}>
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
  readonly marks: Marks;
}

function Upcoming({ cronJob, marks: { upcoming, hasMoreUpcoming }, scale, middle }: UpcomingProps) {
  const bands = mergeIntoBands(upcoming.map((ms) => scale.x(ms)));
  const last = bands.at(-1);
  if (hasMoreUpcoming && last) last.untilX = scale.width;
  let index = 0;
  return (
    <g class="upcoming">
      {bands.map(({ fromX, untilX, count }) => {
        const first = upcoming[index] ?? 0;
        index += count;
        return (
          <g
            key={fromX}
            data-tooltip={
              count === 1 && !hasMoreUpcoming
                ? `Due ${formatLocalTime(cronJob, new Date(first))}`
                : `Due often: ${cronJob.spec.schedule}`
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

/** @param xs From left to right. */
function mergeIntoBands(xs: readonly number[]): readonly UpcomingBand[] {
  const bands: UpcomingBand[] = [];
  for (const x of xs) {
    const last = bands.at(-1);
    if (last && x - last.untilX < 2 * MERGE_DISTANCE) {
      last.untilX = x;
      last.count++;
    } else bands.push({ fromX: x, untilX: x, count: 1 });
  }
  return bands;
}
