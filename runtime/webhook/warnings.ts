/** Fits warnings into the limits of the API server. */

/**
 * Beyond 4096 characters in total, the API server cuts each warning at 256 and silently drops the last ones. Its own
 * warnings and the warnings of other webhooks count too, so each of these stays below the cut.
 */
const MAX_WARNING_LENGTH = 256;
const MAX_TOTAL_LENGTH = 4096;
/** Reserved for the last line, which gives the number of hidden warnings. */
const LAST_LINE_LENGTH = 64;

/**
 * Returns the warnings as they will arrive: one line each, long ones end in `…`, and the last one gives the number of
 * dropped warnings.
 */
export function fitWarnings(warnings: readonly string[]): readonly string[] {
  const lines = [...new Set(warnings.map(oneLine))].filter((line) => line !== '').map(cut);
  const lengths = lines.map((line) => [...line].length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total <= MAX_TOTAL_LENGTH) return lines;
  let remaining = MAX_TOTAL_LENGTH - LAST_LINE_LENGTH;
  const count = lengths.findIndex((length) => {
    remaining -= length;
    return remaining < 0;
  });
  return [...lines.slice(0, count), `${lines.length - count} more warnings are not shown`];
}

/** The API server drops a warning with a control character, such as a line break. */
function oneLine(warning: string): string {
  return warning
    .toWellFormed()
    .replace(/\s*\p{Cc}+\s*/gu, ' ')
    .trim();
}

function cut(line: string): string {
  const characters = [...line];
  return characters.length <= MAX_WARNING_LENGTH ? line : `${characters.slice(0, MAX_WARNING_LENGTH - 1).join('')}…`;
}
