/** Maps times to positions on the screen. */
import { scaleTime, scaleUtc } from 'd3-scale';
import type { TimeRange, ZoneChoice } from '../model/view.ts';

export interface TimeScale {
  readonly width: number;
  /**
   * Returns the distance of a time from the left edge in pixels. The distance is negative for a time before the range, and larger
   * than the width for a time after the range.
   */
  toX(ms: number): number;
  /** The ticks are at round times, about {@link TICK_WIDTH} pixels apart. */
  readonly ticks: readonly AxisTick[];
}

export interface AxisTick {
  readonly x: number;
  readonly text: string;
  /** Whether a new day begins at the tick. */
  readonly isDayStart: boolean;
}

const TICK_WIDTH = 90;

/** @param width The width of the scale in pixels. */
export function createTimeScale({ fromMs, untilMs }: TimeRange, width: number, zone: ZoneChoice): TimeScale {
  const createScale = zone === 'utc' ? scaleUtc : scaleTime;
  const scale = createScale([new Date(fromMs), new Date(untilMs)], [0, width]);
  const createFormat = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, ...(zone === 'utc' && { timeZone: 'UTC' }) });
  const timeFormat = createFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const dayFormat = createFormat({ weekday: 'short', day: 'numeric', month: 'short' });
  const ticks = scale.ticks(Math.max(2, width / TICK_WIDTH)).map((time) => {
    const text = timeFormat.format(time);
    const isDayStart = text === '00:00';
    return { x: scale(time), text: isDayStart ? dayFormat.format(time) : text, isDayStart };
  });
  return { width, toX: (ms) => scale(ms), ticks };
}
