/** Lines and columns of a text. */

export interface LinePosition {
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1, in characters. */
  readonly column: number;
}

export class Lines {
  readonly #text: string;
  #cachedStarts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of each line, computed when the first place is requested. */
  get #starts(): readonly number[] {
    this.#cachedStarts ??= lineStarts(this.#text);
    return this.#cachedStarts;
  }

  at(offset: number): LinePosition {
    const index = this.#findLine(offset);
    return { line: index + 1, column: [...this.#text.slice(this.#starts[index], offset)].length + 1 };
  }

  /** The line at an offset, without its line end. */
  textAt(offset: number): string {
    const index = this.#findLine(offset);
    return this.#text.slice(this.#starts[index], this.#starts[index + 1]).trimEnd();
  }

  #findLine(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
