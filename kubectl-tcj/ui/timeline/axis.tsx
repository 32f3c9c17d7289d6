import type { TimeScale } from './time-scale.ts';

const HEIGHT = 22;
const LABEL_GAP = 4;

interface AxisProps {
  readonly scale: TimeScale;
  readonly nowMs: number;
}

/** The times above the rows. */
export function Axis({ scale, nowMs }: AxisProps) {
  const now = scale.x(nowMs);
  return (
    <svg class="axis" width={scale.width} height={HEIGHT} aria-hidden="true">
      {scale.ticks.map(({ x, text, isDay }, index) => (
        <g key={x} class={isDay ? 'tick day' : 'tick'}>
          <line x1={x} x2={x} y1={HEIGHT - 6} y2={HEIGHT} />
          {x < scale.width - (isDay ? DAY_WIDTH : TIME_WIDTH) && !overlapsPreviousLabel(scale, index) && (
            <text x={x + LABEL_GAP} y={HEIGHT - 8}>
              {text}
            </text>
          )}
        </g>
      ))}
      <path class="now-mark" d={`M ${now - 4} ${HEIGHT - 7} h 8 l -4 7 z`} />
    </svg>
  );
}

/** Minimum distance, so that no text is cut. */
const TIME_WIDTH = 38;
const DAY_WIDTH = 74;

/** Whether the day of the previous tick, which is longer than a time, covers this tick. */
function overlapsPreviousLabel({ ticks }: TimeScale, index: number): boolean {
  const [previous, tick] = [ticks[index - 1], ticks[index]];
  return previous?.isDay === true && tick !== undefined && tick.x - previous.x < DAY_WIDTH;
}
