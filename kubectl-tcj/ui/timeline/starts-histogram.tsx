import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { describeJitterEffect, predictJitterEffect } from '../../plugin/report/jitter.ts';
import { formatZonedTime } from '../../plugin/terminal/format-time.ts';
import { findBusiestMinute, groupIntoColumns, StartCounter, type StartCounts } from '../model/start-counts.ts';
import { createFixedRange, HOUR_MS, type RangeChoice } from '../model/view.ts';
import { usePageState } from '../page-state.ts';
import { Link } from '../parts/link.tsx';
import type { TimeScale } from './time-scale.ts';

const HISTOGRAM_HEIGHT = 48;
/** The space above the highest column in pixels. */
const TOP_MARGIN = 4;
const COLUMN_WIDTH = 6;
/** The width of the text in {@link MaxStartsLabel}. */
const MAX_LABEL_WIDTH = 90;
/** The time for which the page evaluates schedules before it pauses, so that the browser can handle input. */
const EVALUATION_SLICE_MS = 8;
const EVALUATION_PAUSE_MS = 4;

/** Shows how many runs of the listed CronJobs start in each minute. */
export function StartsHistogram({ scale }: { readonly scale: TimeScale }) {
  const { range, zone, navigate } = usePageState();
  const evaluation = useStartsEvaluation();
  if (evaluation === undefined) return <div class="histogram" />;
  const { startCounts, busiestMinute, jitterEffect } = evaluation;
  const { untilMs } = range.value;
  const width = Math.max(0, scale.toX(untilMs) - scale.toX(startCounts.firstMs));
  const columns = groupIntoColumns(startCounts, Math.max(1, width / COLUMN_WIDTH));
  const maxStarts = Math.max(1, ...columns.map((column) => column.startCount));
  const sentence = busiestMinute
    ? `Busiest minute: ${formatZonedTime(new Date(busiestMinute.minuteMs), zone.value)}, ${formatStarts(busiestMinute.startCount)}`
    : 'No more runs are due in this time range';
  return (
    <div class="histogram">
      <p>
        {sentence}
        {busiestMinute && (
          <>
            {' '}
            <Link to={{ rangeChoice: getSurroundingHour(busiestMinute.minuteMs), shouldHideEmpty: true }}>
              Zoom in<span class="visually-hidden"> to the hour around it</span>
            </Link>
          </>
        )}
        {jitterEffect && ` ${jitterEffect}`}
      </p>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only for pointer users; for others, the link leads to the busiest column */}
      <svg
        width={scale.width}
        height={HISTOGRAM_HEIGHT}
        role="img"
        aria-label={`Upcoming starts. ${sentence}`}
        onClick={({ target }) => {
          const ms = getClickedMs(target);
          if (ms !== undefined) navigate({ rangeChoice: getSurroundingHour(ms), shouldHideEmpty: true });
        }}
      >
        {busiestMinute && (
          <MaxStartsLabel
            maxStarts={maxStarts}
            fromX={Math.max(0, scale.toX(startCounts.firstMs))}
            width={scale.width}
          />
        )}
        {columns.map(({ fromMs, untilMs: endMs, minuteMs, startCount: count }) => {
          const height = Math.max(2, (count / maxStarts) * (HISTOGRAM_HEIGHT - TOP_MARGIN));
          const x = scale.toX(fromMs);
          return (
            <rect
              key={fromMs}
              x={x}
              y={HISTOGRAM_HEIGHT - height}
              width={Math.max(1, scale.toX(endMs) - x - 1)}
              height={height}
              data-tooltip={`${formatZonedTime(new Date(minuteMs), zone.value)}: ${formatStarts(count)}`}
              data-ms={minuteMs}
            />
          );
        })}
      </svg>
    </div>
  );
}

interface MaxStartsLabelProps {
  readonly maxStarts: number;
  /** The x coordinate of the first column, in pixels. */
  readonly fromX: number;
  readonly width: number;
}

/** Labels the highest column with the number of starts. */
function MaxStartsLabel({ maxStarts, fromX, width }: MaxStartsLabelProps) {
  const hasSpaceOnLeft = fromX > MAX_LABEL_WIDTH;
  return (
    <g class="max">
      <line x1={fromX} x2={width} y1={TOP_MARGIN} y2={TOP_MARGIN} />
      <text x={hasSpaceOnLeft ? fromX - 4 : 2} y={TOP_MARGIN + 8} text-anchor={hasSpaceOnLeft ? 'end' : 'start'}>
        {maxStarts} per minute
      </text>
    </g>
  );
}

function formatStarts(count: number): string {
  return `${count} ${count === 1 ? 'start' : 'starts'}`;
}

/** Returns the minute of the clicked column, or `undefined` for a click outside of all columns. */
function getClickedMs(target: EventTarget | null): number | undefined {
  const ms = target instanceof SVGElement ? target.dataset['ms'] : undefined;
  return ms === undefined ? undefined : Number(ms);
}

/** Returns the range from half an hour before a time to half an hour after the time. */
function getSurroundingHour(ms: number): RangeChoice {
  return createFixedRange(ms - HOUR_MS / 2, ms + HOUR_MS / 2);
}

interface StartsEvaluation {
  readonly startCounts: StartCounts;
  readonly busiestMinute: ReturnType<typeof findBusiestMinute>;
  /** A sentence about the effect of jitter on the busiest minute. */
  readonly jitterEffect: string | undefined;
}

/** @param counter A counter that has evaluated the schedules of all CronJobs. */
function evaluateStarts(counter: StartCounter, cronJobs: readonly CronJob[], now: Date): StartsEvaluation {
  const startCounts = counter.count(cronJobs, now);
  const busiestMinute = findBusiestMinute(startCounts);
  const { minuteMs = 0, startCount = 0 } = busiestMinute ?? {};
  const startingCronJobs = startCount < 2 ? [] : counter.findStarting(cronJobs, minuteMs, now);
  // A schedule such as `@every 10s` starts several runs in one minute.
  const isOneRunEach = startingCronJobs.length > 0 && startingCronJobs.length === startCount;
  const effect = isOneRunEach ? predictJitterEffect(startingCronJobs, now) : undefined;
  const jitterEffect = effect && describeJitterEffect(effect, `these ${startCount} runs`);
  return { startCounts, busiestMinute, jitterEffect };
}

/**
 * Counts the starts in small steps, so that the page stays responsive. Returns the previous result until the new result is
 * complete.
 */
function useStartsEvaluation(): StartsEvaluation | undefined {
  const page = usePageState();
  const counter = useMemo(() => new StartCounter(), []);
  const evaluation = useSignal<StartsEvaluation | undefined>(undefined);
  const { rows } = page.rows.value;
  const now = page.store.now.value;
  const { fromMs, untilMs } = page.range.value;
  // The value changes once per minute instead of once per second.
  const firstMs = Math.max(fromMs, Math.floor(now.getTime() / 60_000) * 60_000);
  const lastMs = Math.ceil(untilMs / 60_000) * 60_000;
  useEffect(() => {
    counter.range = { fromMs: firstMs, untilMs: lastMs };
    const cronJobs = rows.map(({ cronJob }) => cronJob);
    const pendingCronJobs = cronJobs.filter((cronJob) => !counter.hasSchedule(cronJob));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const evaluateSlice = () => {
      const endMs = performance.now() + EVALUATION_SLICE_MS;
      while (pendingCronJobs.length > 0 && performance.now() < endMs) {
        const pendingCronJob = pendingCronJobs.pop();
        if (pendingCronJob) counter.addSchedule(pendingCronJob);
      }
      if (pendingCronJobs.length > 0) timer = setTimeout(evaluateSlice, EVALUATION_PAUSE_MS);
      else evaluation.value = evaluateStarts(counter, cronJobs, now);
    };
    evaluateSlice();
    return () => clearTimeout(timer);
  }, [counter, rows, firstMs, lastMs]);
  return evaluation.value;
}
