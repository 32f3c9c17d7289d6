import { RESULT_SIGNS, SKIP_SIGN } from '../parts/signs.tsx';

/** Explains the marks. */
export function Legend() {
  return (
    <ul class="legend" aria-label="What the marks mean">
      {Object.entries(RESULT_SIGNS).map(([result, { glyph, tone }]) => (
        <li key={result}>
          <svg width={16} height={14} aria-hidden="true" class={`run ${tone} ${result}`}>
            <rect width={16} height={14} rx={2} />
            <text class="inside" x={8} y={11}>
              {glyph}
            </text>
          </svg>
          {result}
        </li>
      ))}
      <li>
        <span class="skip-sign" aria-hidden="true">
          {SKIP_SIGN.glyph}
        </span>
        Skipped
      </li>
      <li>
        <svg width={10} height={10} aria-hidden="true" class="coming">
          <circle cx={5} cy={5} r={3.5} />
        </svg>
        Coming
      </li>
      <li>
        <span class="swatch unknown" aria-hidden="true" />
        No longer known
      </li>
      <li>
        <span class="swatch silence" aria-hidden="true" />
        Suspended or paused
      </li>
    </ul>
  );
}
