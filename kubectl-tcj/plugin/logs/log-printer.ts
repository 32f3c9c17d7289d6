/** Prints logs to a terminal or a pipe. */
import type { Terminal } from '../command.ts';
import { createLineSink } from './line-splitter.ts';
import type { Piece } from './log-position.ts';
import type { LogSink, LogTarget } from './log-target.ts';

/**
 * Prefixes each line with the name of the container if several containers have logs. Writes bytes unchanged to a pipe, and lines to
 * a terminal.
 * @param endsLines Whether other output follows.
 */
export function createLogPrinter(terminal: Terminal, endsLines: boolean): LogTarget {
  const { writeRaw } = terminal;
  const pipe = writeRaw && new PipeWriter(writeRaw, endsLines);
  return {
    begin: (log, isOnly) => {
      const prefix = isOnly ? '' : `[${log.pod}/${log.container}] `;
      if (pipe) return pipe.begin(prefix);
      return createLineSink((lines) => terminal.out(lines.map((line) => `${prefix}${line}\n`).join('')));
    },
    note: (text) => terminal.err(`${text}\n`),
  };
}

/** Buffers nothing. When another log interrupts an incomplete line, the line is broken there. */
class PipeWriter {
  readonly #write: NonNullable<Terminal['writeRaw']>;
  readonly #endsLines: boolean;
  /** The sink of the incomplete line. */
  #open: LogSink | undefined;

  constructor(write: NonNullable<Terminal['writeRaw']>, endsLines: boolean) {
    this.#write = write;
    this.#endsLines = endsLines;
  }

  begin(prefix: string): LogSink {
    const before = Buffer.from(prefix);
    const sink: LogSink = {
      pieces: (pieces) => this.#write(Buffer.concat(pieces.flatMap((piece) => this.#toBytes(sink, piece, before)))),
      end: () => {
        // The log of the only container is passed on byte for byte.
        if (this.#open !== sink || !(this.#endsLines || prefix)) return undefined;
        this.#open = undefined;
        return this.#write(LINE_BREAK);
      },
    };
    return sink;
  }

  #toBytes(sink: LogSink, { bytes, endsLine }: Piece, before: Uint8Array): readonly Uint8Array[] {
    const isOther = this.#open !== undefined && this.#open !== sink;
    const begins = this.#open === sink ? [] : [...(isOther ? [LINE_BREAK] : []), before];
    this.#open = endsLine ? undefined : sink;
    return [...begins, bytes, ...(endsLine ? [LINE_BREAK] : [])];
  }
}

const LINE_BREAK = Buffer.from('\n');
