const SHOWN = 20;

/** The first problems; empty without problems. */
export function shown(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  return [`${problems.length} disagree:`, ...problems.slice(0, SHOWN)].join('\n');
}
