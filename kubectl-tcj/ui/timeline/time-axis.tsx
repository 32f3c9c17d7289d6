import type { TimeScale } from './time-scale.ts';

const AXIS_HEIGHT = 22;
const LABEL_GAP = 4;

interface TimeAxisProps {
  readonly scale: TimeScale;
  readonly nowMs: number;
}

export function TimeAxis({ scale, nowMs }: TimeAxisProps) {
  const nowX = scale.toX(nowMs);
  return (
    <svg class="axis" width={scale.width} height={AXIS_HEIGHT} aria-hidden="true">
      {scale.ticks.map(({ x, text, isDayStart }, index) => (
        <g key={x} class={isDayStart ? 'tick day' : 'tick'}>
          <line x1={x} x2={x} y1={AXIS_HEIGHT - 6} y2={AXIS_HEIGHT} />
          {x < scale.width - (isDayStart ? DAY_LABEL_WIDTH : TIME_LABEL_WIDTH) &&
            !overlapsPreviousLabel(scale, index) && (
              <text x={x + LABEL_GAP} y={AXIS_HEIGHT - 8}>
                {text}
              </text>
            )}
        </g>
      ))}
      <path class="now-mark" d={`M ${nowX - 4} ${AXIS_HEIGHT - 7} h 8 l -4 7 z`} />
    </svg>
  );
}

/** The width of a label in pixels. */
const TIME_LABEL_WIDTH = 38;
const DAY_LABEL_WIDTH = 74;

/**
 * Returns whether the label of the previous tick would overlap the label of the tick at `index`. Only labels of days
 * are long enough to overlap.
 */
function overlapsPreviousLabel({ ticks }: TimeScale, index: number): boolean {
  const [previous, tick] = [ticks[index - 1], ticks[index]];
  return previous?.isDayStart === true && tick !== undefined && tick.x - previous.x < DAY_LABEL_WIDTH;
}
