/** Splits a log into lines with a maximum length. */
import type { LineFragment } from './log-position.ts';
import type { LogSink } from './log-target.ts';

/** The maximum length of a line. A longer line is truncated. */
export const MAX_LINE_BYTES = 64 * 1024;
export const TRUNCATION_MARK = ` … (cut: the line is longer than ${MAX_LINE_BYTES / 1024} KiB)`;

/** Creates a sink that writes whole lines. */
export function createLineSink(write: (lines: readonly string[]) => void | Promise<void>): LogSink {
  const splitter = new LogLineSplitter();
  return {
    write: (fragments) => write(splitter.split(fragments)),
    end: () => write(splitter.flush()),
  };
}

export class LogLineSplitter {
  readonly #decoder = new TextDecoder();
  #text = '';
  #byteCount = 0;
  #isCut = false;

  /** Returns the complete lines and the truncated lines. */
  split(fragments: readonly LineFragment[]): readonly string[] {
    return fragments.flatMap((fragment) => this.#addFragment(fragment) ?? []);
  }

  /** Returns the text after the last line break, if any. */
  flush(): readonly string[] {
    return this.#byteCount === 0 || this.#isCut ? [] : [this.#finishLine('')];
  }

  #addFragment({ bytes, isLineEnd }: LineFragment): string | undefined {
    const acceptedBytes = this.#isCut ? new Uint8Array() : bytes.subarray(0, MAX_LINE_BYTES - this.#byteCount);
    this.#text += this.#decoder.decode(acceptedBytes, { stream: true });
    this.#byteCount += acceptedBytes.length;
    if (isLineEnd) {
      const wasCut = this.#isCut;
      this.#isCut = false;
      const isTooLong = acceptedBytes.length < bytes.length;
      const line = this.#finishLine(isTooLong ? TRUNCATION_MARK : '');
      return wasCut ? undefined : line;
    }
    if (this.#isCut || acceptedBytes.length === bytes.length) return undefined;
    this.#isCut = true;
    return this.#finishLine(TRUNCATION_MARK);
  }

  #finishLine(mark: string): string {
    // An incomplete character at the end of a truncated line is dropped.
    const incompleteCharacter = this.#decoder.decode();
    const line = mark === '' ? `${this.#text}${incompleteCharacter}`.replace(/\r$/, '') : this.#text + mark;
    this.#text = '';
    this.#byteCount = 0;
    return line;
  }
}
