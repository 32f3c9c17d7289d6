/** Logs on a terminal, or in a pipe. */
import type { Terminal } from '../command.ts';
import { lineSink } from './line-cutter.ts';
import type { Piece } from './log-place.ts';
import type { LogSink, LogTarget } from './log-target.ts';

/**
 * With the name of the container before each line, where there are several. Goes as it is into a pipe, and in lines to a terminal.
 * @param endsLines Whether something else is printed behind it.
 */
export function printedLogs(terminal: Terminal, endsLines: boolean): LogTarget {
  const { raw } = terminal;
  const pipe = raw && new Pipe(raw, endsLines);
  return {
    begin: (log, isOnly) => {
      const prefix = isOnly ? '' : `[${log.pod}/${log.container}] `;
      if (pipe) return pipe.begin(prefix);
      return lineSink((lines) => terminal.out(lines.map((line) => `${prefix}${line}\n`).join('')));
    },
    note: (text) => terminal.err(`${text}\n`),
  };
}

/** Keeps nothing. A line that goes on while another log has something to say is broken there. */
class Pipe {
  readonly #write: NonNullable<Terminal['raw']>;
  readonly #endsLines: boolean;
  /** That of the line that has not ended. */
  #open: LogSink | undefined;

  constructor(write: NonNullable<Terminal['raw']>, endsLines: boolean) {
    this.#write = write;
    this.#endsLines = endsLines;
  }

  begin(prefix: string): LogSink {
    const before = Buffer.from(prefix);
    const sink: LogSink = {
      pieces: (pieces) => this.#write(Buffer.concat(pieces.flatMap((piece) => this.#bytesOf(sink, piece, before)))),
      end: () => {
        // The log of the only container stays byte for byte what it is.
        if (this.#open !== sink || !(this.#endsLines || prefix)) return undefined;
        this.#open = undefined;
        return this.#write(LINE_BREAK);
      },
    };
    return sink;
  }

  #bytesOf(sink: LogSink, { bytes, endsLine }: Piece, before: Uint8Array): readonly Uint8Array[] {
    const isOther = this.#open !== undefined && this.#open !== sink;
    const begins = this.#open === sink ? [] : [...(isOther ? [LINE_BREAK] : []), before];
    this.#open = endsLine ? undefined : sink;
    return [...begins, bytes, ...(endsLine ? [LINE_BREAK] : [])];
  }
}

const LINE_BREAK = Buffer.from('\n');
