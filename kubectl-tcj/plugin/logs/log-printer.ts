/** Prints logs to a terminal or a pipe. */
import type { Terminal } from '../command.ts';
import { createLineSink } from './line-splitter.ts';
import type { LineFragment } from './log-position.ts';
import type { LogSink, LogTarget } from './log-target.ts';

/**
 * Prefixes each line with the container name if several containers have logs. Writes unchanged bytes to a pipe, and lines to a
 * terminal.
 * @param shouldEndLines Whether to add a missing line break at the end of a log.
 */
export function createLogPrinter(terminal: Terminal, shouldEndLines: boolean): LogTarget {
  const { writeRaw } = terminal;
  const pipe = writeRaw && new PipeWriter(writeRaw, shouldEndLines);
  return {
    openSink: (log, isOnlyLog) => {
      const prefix = isOnlyLog ? '' : `[${log.pod}/${log.container}] `;
      if (pipe) return pipe.createSink(prefix);
      return createLineSink((lines) => terminal.out(lines.map((line) => `${prefix}${line}\n`).join('')));
    },
    note: (text) => terminal.err(`${text}\n`),
  };
}

/** Writes the bytes of several logs to a pipe immediately. If a log interrupts the incomplete line of another log, adds a line break. */
class PipeWriter {
  readonly #write: NonNullable<Terminal['writeRaw']>;
  readonly #shouldEndLines: boolean;
  /** The sink of the log whose last line is incomplete. */
  #incompleteSink: LogSink | undefined;

  constructor(write: NonNullable<Terminal['writeRaw']>, shouldEndLines: boolean) {
    this.#write = write;
    this.#shouldEndLines = shouldEndLines;
  }

  createSink(prefix: string): LogSink {
    const prefixBytes = Buffer.from(prefix);
    const sink: LogSink = {
      write: (fragments) =>
        this.#write(Buffer.concat(fragments.flatMap((fragment) => this.#toBytes(sink, fragment, prefixBytes)))),
      end: () => {
        // The log of a single container is printed unchanged.
        if (this.#incompleteSink !== sink || !(this.#shouldEndLines || prefix)) return undefined;
        this.#incompleteSink = undefined;
        return this.#write(LINE_BREAK);
      },
    };
    return sink;
  }

  #toBytes(sink: LogSink, { bytes, isLineEnd }: LineFragment, prefix: Uint8Array): readonly Uint8Array[] {
    const interruptsOtherLog = this.#incompleteSink !== undefined && this.#incompleteSink !== sink;
    const lineStart = this.#incompleteSink === sink ? [] : [...(interruptsOtherLog ? [LINE_BREAK] : []), prefix];
    this.#incompleteSink = isLineEnd ? undefined : sink;
    return [...lineStart, bytes, ...(isLineEnd ? [LINE_BREAK] : [])];
  }
}

const LINE_BREAK = Buffer.from('\n');
