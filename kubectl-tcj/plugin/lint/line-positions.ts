/** Converts offsets in a text to lines and columns. */

export interface LinePosition {
  /** Starts at 1. */
  readonly line: number;
  /** The number of the character in the line, starting at 1. */
  readonly column: number;
}

/** The maximum length of a line on either side of an offset. A list in minified JSON is one line of several megabytes. */
const MAX_CONTEXT_LENGTH = 1000;

/** The start of each line of a text. */
export class LinePositions {
  readonly #text: string;
  #cachedLineStarts: readonly number[] | undefined;
  #cachedPairs: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of each line, which is computed on first use. */
  get #lineStarts(): readonly number[] {
    this.#cachedLineStarts ??= findLineStarts(this.#text);
    return this.#cachedLineStarts;
  }

  /** The offset of the second half of each character that has two UTF-16 code units, which is computed on first use. */
  get #pairs(): readonly number[] {
    this.#cachedPairs ??= Array.from(
      this.#text.matchAll(/[\ud800-\udbff](?=[\udc00-\udfff])/g),
      ({ index }) => index + 1,
    );
    return this.#cachedPairs;
  }

  /** @param offset An offset beyond the end counts as the end. */
  getPosition(offset: number): LinePosition {
    const line = countUpTo(this.#lineStarts, offset);
    const start = this.#lineStarts[line - 1] ?? 0;
    const pairCount = countUpTo(this.#pairs, offset - 1) - countUpTo(this.#pairs, start);
    return { line, column: Math.min(offset, this.#text.length) - start - pairCount + 1 };
  }

  /** Returns the line at an offset without its line break. Cuts a long line. */
  getLine(offset: number): string {
    const line = countUpTo(this.#lineStarts, offset);
    const start = Math.max(this.#lineStarts[line - 1] ?? 0, offset - MAX_CONTEXT_LENGTH);
    const end = Math.min(this.#lineStarts[line] ?? this.#text.length, offset + MAX_CONTEXT_LENGTH);
    return this.#text.slice(start, end).trimEnd();
  }
}

/** Returns the number of values up to and including the limit. */
function countUpTo(sortedValues: readonly number[], limit: number): number {
  let [low, high] = [0, sortedValues.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sortedValues[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let newlineIndex = text.indexOf('\n'); newlineIndex !== -1; newlineIndex = text.indexOf('\n', newlineIndex + 1))
    starts.push(newlineIndex + 1);
  return starts;
}
