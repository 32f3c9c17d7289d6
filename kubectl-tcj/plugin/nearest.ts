/** The name in `names` that differs from `name` in the fewest letters, at most two. */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const close = names
    .map((each) => ({ each, distance: computeDistance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= MAX_DISTANCE && distance < each.length)
    .toSorted((left, right) => left.distance - right.distance);
  return close[0]?.each;
}

/** Ends a sentence: `; did you mean "list"?`. Also matches the beginning of a name. Empty without a similar name. */
export function suggestName(name: string, names: readonly string[]): string {
  const begun = name.length >= MIN_BEGINNING ? names.find((each) => each.startsWith(name)) : undefined;
  const like = begun ?? findNearest(name, names);
  return like === undefined ? '' : `; did you mean ${JSON.stringify(like)}?`;
}

const MIN_BEGINNING = 3;
const MAX_DISTANCE = 2;
const MAX_LENGTH = 64;

/** Number of letters to add, remove or change. */
function computeDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const [left = 0, above = 0, diagonal = 0] = [next[column - 1], row[column], row[column - 1]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === to[column - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
