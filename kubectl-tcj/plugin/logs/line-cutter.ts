/** Cuts a log into lines of text with a maximum length, for users. */
import type { Piece } from './log-place.ts';
import type { LogSink } from './log-target.ts';

/** Only the beginning of a longer line is shown. */
export const MAX_LINE_BYTES = 64 * 1024;
export const CUT_MARK = ` … (cut: the line is longer than ${MAX_LINE_BYTES / 1024} KiB)`;

/** A sink that passes a log on in lines. */
export function lineSink(tell: (lines: readonly string[]) => void | Promise<void>): LogSink {
  const cutter = new LineCutter();
  return {
    pieces: (pieces) => tell(cutter.linesOf(pieces)),
    end: () => tell(cutter.rest()),
  };
}

export class LineCutter {
  readonly #decoder = new TextDecoder();
  #text = '';
  #bytes = 0;
  #isCut = false;

  /** The lines that are complete now, or that have become too long. */
  linesOf(pieces: readonly Piece[]): readonly string[] {
    return pieces.flatMap((piece) => this.#lineOf(piece) ?? []);
  }

  /** The last line, when it has no line break. */
  rest(): readonly string[] {
    return this.#bytes === 0 || this.#isCut ? [] : [this.#ended('')];
  }

  #lineOf({ bytes, endsLine }: Piece): string | undefined {
    const taken = this.#isCut ? new Uint8Array() : bytes.subarray(0, MAX_LINE_BYTES - this.#bytes);
    this.#text += this.#decoder.decode(taken, { stream: true });
    this.#bytes += taken.length;
    if (endsLine) {
      const wasCut = this.#isCut;
      this.#isCut = false;
      const isTooLong = taken.length < bytes.length;
      const line = this.#ended(isTooLong ? CUT_MARK : '');
      return wasCut ? undefined : line;
    }
    if (this.#isCut || taken.length === bytes.length) return undefined;
    this.#isCut = true;
    return this.#ended(CUT_MARK);
  }

  #ended(mark: string): string {
    // Half a character at a cut is left out.
    const rest = this.#decoder.decode();
    const line = mark === '' ? `${this.#text}${rest}`.replace(/\r$/, '') : this.#text + mark;
    this.#text = '';
    this.#bytes = 0;
    return line;
  }
}
