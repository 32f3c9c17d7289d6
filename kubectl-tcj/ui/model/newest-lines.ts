/** The maximum number of log lines on the page. */
export const MAX_LINES = 5000;
const MAX_CHARACTERS = 5_000_000;

/** Returns the newest lines that a page can show without becoming slow, at least one. */
export function takeNewestLines<T extends { readonly text: string }>(lines: readonly T[]): readonly T[] {
  const newest = lines.slice(-MAX_LINES);
  let characterCount = 0;
  const firstIndex = newest.findLastIndex(({ text }) => {
    characterCount += text.length;
    return characterCount > MAX_CHARACTERS;
  });
  return newest.slice(Math.min(firstIndex + 1, newest.length - 1));
}
