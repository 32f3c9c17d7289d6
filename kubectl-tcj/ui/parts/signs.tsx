/** Signs for results and states: each has a shape and a word besides its colour. */
import type { RunResult } from '../../../api/v1/recent-lines.ts';
import type { Standing } from '../../plugin/report/standing.ts';

export type Tone = 'good' | 'bad' | 'active' | 'doubtful';

interface Sign {
  readonly tone: Tone;
  readonly glyph: string;
}

/** In the order of the legend. */
export const RESULT_SIGNS: Readonly<Record<RunResult, Sign>> = {
  Succeeded: { tone: 'good', glyph: '✓' },
  Failed: { tone: 'bad', glyph: '✕' },
  Running: { tone: 'active', glyph: '▸' },
  Replaced: { tone: 'doubtful', glyph: '↺' },
  Unknown: { tone: 'doubtful', glyph: '?' },
};

const OF_STANDING: Readonly<Record<Standing, Sign>> = {
  Malformed: { tone: 'bad', glyph: '!' },
  Invalid: { tone: 'bad', glyph: '!' },
  Blocked: { tone: 'bad', glyph: '⊘' },
  Late: { tone: 'bad', glyph: '◷' },
  Overdue: { tone: 'bad', glyph: '◷' },
  Paused: { tone: 'bad', glyph: '‖' },
  Failed: { tone: 'bad', glyph: '✕' },
  Unobserved: { tone: 'doubtful', glyph: '?' },
  Degraded: { tone: 'doubtful', glyph: '!' },
  Suspended: { tone: 'doubtful', glyph: '‖' },
  Waiting: { tone: 'doubtful', glyph: '…' },
  Running: { tone: 'active', glyph: '▸' },
  OK: { tone: 'good', glyph: '✓' },
};

/** Sign of a scheduled time that was not run. */
export const SKIP_SIGN: Sign = { tone: 'doubtful', glyph: '⊘' };

interface BadgeProps {
  readonly sign: Sign;
  readonly word: string;
}

function Badge({ sign: { tone, glyph }, word }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      <span class="glyph" aria-hidden="true">
        {glyph}
      </span>
      {word}
    </span>
  );
}

export function StandingBadge({ standing }: { readonly standing: Standing }) {
  return <Badge sign={OF_STANDING[standing]} word={standing} />;
}

export function ResultBadge({ result }: { readonly result: RunResult }) {
  return <Badge sign={RESULT_SIGNS[result]} word={result} />;
}

export function SkipBadge() {
  return <Badge sign={SKIP_SIGN} word="Skipped" />;
}
