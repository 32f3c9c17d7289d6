const MAX_PROBLEMS = 20;

/** Returns the first problems, or an empty text without problems. */
export function formatProblems(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  return [`${problems.length} disagree:`, ...problems.slice(0, MAX_PROBLEMS)].join('\n');
}
