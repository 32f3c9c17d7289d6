/** Cuts a log into lines of text with a maximum length, for users. */
import type { Piece } from './log-position.ts';
import type { LogSink } from './log-target.ts';

/** Only the beginning of a longer line is shown. */
export const MAX_LINE_BYTES = 64 * 1024;
export const TRUNCATION_MARK = ` … (cut: the line is longer than ${MAX_LINE_BYTES / 1024} KiB)`;

/** A sink that passes a log on in lines. */
export function createLineSink(write: (lines: readonly string[]) => void | Promise<void>): LogSink {
  const splitter = new LogLineSplitter();
  return {
    pieces: (pieces) => write(splitter.split(pieces)),
    end: () => write(splitter.rest()),
  };
}

export class LogLineSplitter {
  readonly #decoder = new TextDecoder();
  #text = '';
  #bytes = 0;
  #isCut = false;

  /** The lines that are complete now, or that have become too long. */
  split(pieces: readonly Piece[]): readonly string[] {
    return pieces.flatMap((piece) => this.#addPiece(piece) ?? []);
  }

  /** The last line, when it has no line break. */
  rest(): readonly string[] {
    return this.#bytes === 0 || this.#isCut ? [] : [this.#finishLine('')];
  }

  #addPiece({ bytes, endsLine }: Piece): string | undefined {
    const accepted = this.#isCut ? new Uint8Array() : bytes.subarray(0, MAX_LINE_BYTES - this.#bytes);
    this.#text += this.#decoder.decode(accepted, { stream: true });
    this.#bytes += accepted.length;
    if (endsLine) {
      const wasCut = this.#isCut;
      this.#isCut = false;
      const isTooLong = accepted.length < bytes.length;
      const line = this.#finishLine(isTooLong ? TRUNCATION_MARK : '');
      return wasCut ? undefined : line;
    }
    if (this.#isCut || accepted.length === bytes.length) return undefined;
    this.#isCut = true;
    return this.#finishLine(TRUNCATION_MARK);
  }

  #finishLine(mark: string): string {
    // Half a character at a cut is left out.
    const rest = this.#decoder.decode();
    const line = mark === '' ? `${this.#text}${rest}`.replace(/\r$/, '') : this.#text + mark;
    this.#text = '';
    this.#bytes = 0;
    return line;
  }
}
