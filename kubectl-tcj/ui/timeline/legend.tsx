import { RESULT_ICONS, SKIP_ICON } from '../parts/badges.tsx';

export function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      {Object.entries(RESULT_ICONS).map(([result, { glyph, tone }]) => (
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
        <span class="skip-icon" aria-hidden="true">
          {SKIP_ICON.glyph}
        </span>
        Skipped
      </li>
      <li>
        <svg width={10} height={10} aria-hidden="true" class="upcoming">
          <circle cx={5} cy={5} r={3.5} />
        </svg>
        Upcoming
      </li>
      <li>
        <span class="swatch no-data" aria-hidden="true" />
        No data
      </li>
      <li>
        <span class="swatch inactive" aria-hidden="true" />
        Suspended or paused
      </li>
    </ul>
  );
}
