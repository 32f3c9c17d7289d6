const MAX_PROBLEMS = 20;

/** Returns a text with the first problems, or an empty string if there are no problems. */
export function formatProblems(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  return [`${problems.length} disagree:`, ...problems.slice(0, MAX_PROBLEMS)].join('\n');
}
