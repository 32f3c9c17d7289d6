/**
 * If the warnings of a response have more than 4096 characters in total, the API server truncates each warning to 256
 * characters and discards the last warnings. The 4096 characters include warnings from the API server and from other
 * webhooks.
 */
const MAX_WARNING_LENGTH = 256;
const MAX_TOTAL_WARNING_LENGTH = 4096;
/** Number of characters that are reserved for the last warning, which reports the number of hidden warnings. */
const HIDDEN_COUNT_WARNING_LENGTH = 64;

/** Truncates long warnings, which then end with `…`. The last warning reports the number of hidden warnings. */
export function limitWarnings(warnings: readonly string[]): readonly string[] {
  const lines = [...new Set(warnings.map(toSingleLine))].filter((line) => line !== '').map(truncate);
  const lengths = lines.map((line) => [...line].length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total <= MAX_TOTAL_WARNING_LENGTH) return lines;
  let remaining = MAX_TOTAL_WARNING_LENGTH - HIDDEN_COUNT_WARNING_LENGTH;
  const shownCount = lengths.findIndex((length) => {
    remaining -= length;
    return remaining < 0;
  });
  return [...lines.slice(0, shownCount), `${lines.length - shownCount} more warnings are not shown`];
}

/**
 * Replaces control characters such as line breaks, because the API server discards a warning with a control character.
 */
function toSingleLine(warning: string): string {
  return warning
    .toWellFormed()
    .replace(/\s*\p{Cc}+\s*/gu, ' ')
    .trim();
}

function truncate(line: string): string {
  const characters = [...line];
  return characters.length <= MAX_WARNING_LENGTH ? line : `${characters.slice(0, MAX_WARNING_LENGTH - 1).join('')}…`;
}
