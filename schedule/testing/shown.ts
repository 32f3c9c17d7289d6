const SHOWN = 20;

/** The first problems; empty when there are none. */
export function shown(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  return [`${problems.length} disagree:`, ...problems.slice(0, SHOWN)].join('\n');
}
