/** Maps times to positions on the screen. */
import { scaleTime, scaleUtc } from 'd3-scale';
import type { TimeRange, ZoneChoice } from '../model/view.ts';

export interface TimeScale {
  readonly width: number;
  /** Distance from the left edge, in pixels; beyond an edge for a time outside of the shown time. */
  x(ms: number): number;
  /** Round times, about {@link TICK_WIDTH} pixels apart. */
  readonly ticks: readonly AxisTick[];
}

export interface AxisTick {
  readonly x: number;
  readonly text: string;
  /** Whether a new day begins. */
  readonly isDay: boolean;
}

const TICK_WIDTH = 90;

/** @param width In pixels. */
export function createTimeScale({ fromMs, untilMs }: TimeRange, width: number, zone: ZoneChoice): TimeScale {
  const create = zone === 'utc' ? scaleUtc : scaleTime;
  const scale = create([new Date(fromMs), new Date(untilMs)], [0, width]);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, ...(zone === 'utc' && { timeZone: 'UTC' }) });
  const timeOfDay = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = format({ weekday: 'short', day: 'numeric', month: 'short' });
  const ticks = scale.ticks(Math.max(2, width / TICK_WIDTH)).map((time) => {
    const text = timeOfDay.format(time);
    const isDay = text === '00:00';
    return { x: scale(time), text: isDay ? day.format(time) : text, isDay };
  });
  return { width, x: (ms) => scale(ms), ticks };
}
