/** Icons and badges for results and states. Each badge has a shape and a word in addition to its colour. */
import type { RunResult } from '../../../api/v1/recent-lines.ts';
import type { CronJobState } from '../../plugin/report/cron-job-state.ts';

export type IconTone = 'success' | 'error' | 'active' | 'warning';

interface Icon {
  readonly tone: IconTone;
  readonly glyph: string;
}

/** The legend shows the icons in this order. */
export const RESULT_ICONS: Readonly<Record<RunResult, Icon>> = {
  Succeeded: { tone: 'success', glyph: '✓' },
  Failed: { tone: 'error', glyph: '✕' },
  Running: { tone: 'active', glyph: '▸' },
  Replaced: { tone: 'warning', glyph: '↺' },
  Unknown: { tone: 'warning', glyph: '?' },
};

const STATE_ICONS: Readonly<Record<CronJobState, Icon>> = {
  Malformed: { tone: 'error', glyph: '!' },
  Invalid: { tone: 'error', glyph: '!' },
  Blocked: { tone: 'error', glyph: '⊘' },
  Late: { tone: 'error', glyph: '◷' },
  Overdue: { tone: 'error', glyph: '◷' },
  Paused: { tone: 'error', glyph: '‖' },
  Failed: { tone: 'error', glyph: '✕' },
  Unobserved: { tone: 'warning', glyph: '?' },
  Degraded: { tone: 'warning', glyph: '!' },
  Suspended: { tone: 'warning', glyph: '‖' },
  Waiting: { tone: 'warning', glyph: '…' },
  Running: { tone: 'active', glyph: '▸' },
  OK: { tone: 'success', glyph: '✓' },
};

export const SKIP_ICON: Icon = { tone: 'warning', glyph: '⊘' };

interface BadgeProps {
  readonly icon: Icon;
  readonly label: string;
}

function Badge({ icon: { tone, glyph }, label }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      <span class="glyph" aria-hidden="true">
        {glyph}
      </span>
      {label}
    </span>
  );
}

export function StateBadge({ state }: { readonly state: CronJobState }) {
  return <Badge icon={STATE_ICONS[state]} label={state} />;
}

export function ResultBadge({ result }: { readonly result: RunResult }) {
  return <Badge icon={RESULT_ICONS[result]} label={result} />;
}

export function SkipBadge() {
  return <Badge icon={SKIP_ICON} label="Skipped" />;
}
