/** Returns the most similar name that differs from `name` in at most two letters. */
export function findSimilarName(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const candidates = names
    .map((each) => ({ each, distance: computeEditDistance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= MAX_DISTANCE && distance < each.length)
    .toSorted((left, right) => left.distance - right.distance);
  return candidates[0]?.each;
}

/**
 * Returns a text such as `; did you mean "list"?` if `name` is similar to one of the names or begins one of them.
 * Otherwise, returns an empty string.
 */
export function suggestName(name: string, names: readonly string[]): string {
  const nameWithPrefix = name.length >= MIN_PREFIX_LENGTH ? names.find((each) => each.startsWith(name)) : undefined;
  const suggestion = nameWithPrefix ?? findSimilarName(name, names);
  return suggestion === undefined ? '' : `; did you mean ${JSON.stringify(suggestion)}?`;
}

const MIN_PREFIX_LENGTH = 3;
const MAX_DISTANCE = 2;
const MAX_NAME_LENGTH = 64;

/** Returns the number of letters to add, remove or change, or infinity if the number exceeds {@link MAX_DISTANCE}. */
function computeEditDistance(sourceText: string, targetText: string): number {
  if (Math.abs(sourceText.length - targetText.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: targetText.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...sourceText].entries()) {
    const nextRow = [index + 1];
    for (let column = 1; column <= targetText.length; column++) {
      const [left = 0, above = 0, diagonal = 0] = [nextRow[column - 1], row[column], row[column - 1]];
      nextRow.push(Math.min(left + 1, above + 1, diagonal + (letter === targetText[column - 1] ? 0 : 1)));
    }
    row = nextRow;
  }
  return row[targetText.length] ?? 0;
}
