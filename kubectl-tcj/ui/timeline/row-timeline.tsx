import type { VNode } from 'preact';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { runSentence, skipSentence, timeOf } from '../../plugin/report/sentences.ts';
import type { Marks, RunMark, SkipMark } from '../model/marks.ts';
import type { TimeRange } from '../model/view.ts';
import { RESULT_SIGNS, SKIP_SIGN } from '../parts/signs.tsx';
import { noteBeside } from './skip-note.ts';
import { spokenMarks } from './spoken-marks.ts';
import type { TimeScale } from './time-scale.ts';

/** Minimum width, so that a run of a second is visible. */
const MIN_WIDTH = 5;
/** A bar of at least this width has its sign inside. */
const GLYPH_WIDTH = 12;
/** Coming times closer than this are one band. */
const TOGETHER = 5;

interface RowTimelineProps {
  readonly cronJob: CronJob;
  readonly marks: Marks;
  readonly scale: TimeScale;
  readonly now: Date;
  readonly height: number;
  /** Called on a click: with the time of the entry (RFC 3339), or empty for a click beside all entries. */
  readonly onPick: (at: string) => void;
}

/** Bars for runs, marks for skips and for coming times, and a line for now. */
export function RowTimeline({ cronJob, marks, scale, now, height, onPick }: RowTimelineProps) {
  const nowX = scale.x(now.getTime());
  const middle = height / 2;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: only for pointer users; others use the link of the row and the table of the runs
    <svg
      class="row-timeline"
      onClick={({ target }) => onPick(pickedAt(target))}
      width={scale.width}
      height={height}
      role="img"
      aria-label={spokenMarks(cronJob, marks, now)}
    >
      {scale.ticks.map(({ x, isDay }) => (
        <line key={x} class={isDay ? 'grid day' : 'grid'} x1={x} x2={x} y1={0} y2={height} />
      ))}
      <Unknown {...{ cronJob, marks, scale, height }} />
      <Silence {...{ cronJob, marks, scale, height }} />
      <Coming {...{ cronJob, marks, scale, middle }} />
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
function pickedAt(target: EventTarget | null): string {
  return (target instanceof Element && target.closest<SVGElement>('[data-at]')?.dataset['at']) || '';
}

/** The part before the lists of the status begin. */
function Unknown({ marks: { unknown }, scale, height }: Pick<RowTimelineProps, 'marks' | 'scale' | 'height'>) {
  if (unknown === undefined) return null;
  const x = Math.max(0, scale.x(unknown.fromMs));
  return (
    <rect
      class="unknown"
      x={x}
      y={0}
      width={scale.x(unknown.untilMs) - x}
      height={height}
      data-told="No longer known: the status lists newer runs only"
    />
  );
}

function Silence({ cronJob, marks: { silence }, scale, height }: Omit<RowTimelineProps, 'now' | 'onPick'>) {
  if (silence === undefined) return null;
  const from = Math.max(0, scale.x(silence.fromMs));
  const until =
    silence.untilMs === Number.POSITIVE_INFINITY ? scale.width : Math.min(scale.x(silence.untilMs), scale.width);
  if (until <= from) return null;
  return (
    <rect
      class="silence"
      x={from}
      y={0}
      width={until - from}
      height={height}
      data-told={`No run starts: ${whySilent(cronJob, silence)}`}
    />
  );
}

function whySilent(cronJob: CronJob, { untilMs }: TimeRange): string {
  if (cronJob.status?.paused) return 'paused after too many failed runs in a row, until somebody resumes it';
  if (untilMs === Number.POSITIVE_INFINITY) return 'suspended, until somebody resumes it';
  return `suspended until ${timeOf(cronJob, new Date(untilMs))}`;
}

interface MarkProps extends Pick<RowTimelineProps, 'cronJob' | 'scale'> {
  /** Middle of the row, from its top. */
  readonly middle: number;
}

function Run({ cronJob, mark, scale, middle }: MarkProps & { readonly mark: RunMark }) {
  const { run } = mark;
  const { glyph, tone } = RESULT_SIGNS[run.result];
  const x = scale.x(mark.fromMs);
  const width = Math.max(MIN_WIDTH, scale.x(mark.untilMs) - x);
  const isWide = width >= GLYPH_WIDTH;
  return (
    <g class={`run ${tone} ${run.result}`} data-told={runSentence(cronJob, run)} data-at={rfc3339(mark.atMs)}>
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
  const note = noteBeside(mark, { marks, scale, nowX });
  return (
    <g class="skip" data-told={skipSentence(cronJob, skip.lastTime, skip)} data-at={rfc3339(mark.atMs)}>
      {last > x && <line x1={x} x2={last} y1={middle} y2={middle} />}
      <text class="sign" x={last} y={middle + 5}>
        {SKIP_SIGN.glyph}
      </text>
      {note && (
        <text class="reason" x={note.x} y={middle + 4} text-anchor={note.anchor}>
          {note.text}
        </text>
      )}
    </g>
  );
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

interface ComingProps extends MarkProps {
  readonly marks: Marks;
}

function Coming({ cronJob, marks: { coming, hasMore }, scale, middle }: ComingProps) {
  const spans = together(coming.map((ms) => scale.x(ms)));
  const last = spans.at(-1);
  if (hasMore && last) last.untilX = scale.width;
  let index = 0;
  return (
    <g class="coming">
      {spans.map(({ fromX, untilX, count }) => {
        const first = coming[index] ?? 0;
        index += count;
        return (
          <g
            key={fromX}
            data-told={
              count === 1 && !hasMore
                ? `Due ${timeOf(cronJob, new Date(first))}`
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

interface ComingSpan {
  readonly fromX: number;
  untilX: number;
  count: number;
}

/** @param xs From left to right. */
function together(xs: readonly number[]): readonly ComingSpan[] {
  const spans: ComingSpan[] = [];
  for (const x of xs) {
    const last = spans.at(-1);
    if (last && x - last.untilX < 2 * TOGETHER) {
      last.untilX = x;
      last.count++;
    } else spans.push({ fromX: x, untilX: x, count: 1 });
  }
  return spans;
}
