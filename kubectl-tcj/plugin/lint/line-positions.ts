/** Converts offsets in a text to lines and columns. */

export interface LinePosition {
  /** Starts at 1. */
  readonly line: number;
  /** The number of the character in the line, starting at 1. */
  readonly column: number;
}

/** The start of each line of a text. */
export class LinePositions {
  readonly #text: string;
  #cachedLineStarts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of each line, which is computed on first use. */
  get #lineStarts(): readonly number[] {
    this.#cachedLineStarts ??= findLineStarts(this.#text);
    return this.#cachedLineStarts;
  }

  getPosition(offset: number): LinePosition {
    const index = this.#findLine(offset);
    return { line: index + 1, column: [...this.#text.slice(this.#lineStarts[index], offset)].length + 1 };
  }

  /** Returns the line at an offset without its line break. */
  getLine(offset: number): string {
    const index = this.#findLine(offset);
    return this.#text.slice(this.#lineStarts[index], this.#lineStarts[index + 1]).trimEnd();
  }

  #findLine(offset: number): number {
    let [low, high] = [0, this.#lineStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let newlineIndex = text.indexOf('\n'); newlineIndex !== -1; newlineIndex = text.indexOf('\n', newlineIndex + 1))
    starts.push(newlineIndex + 1);
  return starts;
}
