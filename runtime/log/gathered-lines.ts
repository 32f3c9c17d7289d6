import { Writable } from 'node:stream';

/**
 * Hands on what is written in one turn of the event loop as one text. A line each would be a system call each, and would each wake
 * whoever reads them.
 *
 * What waits is written when the process exits or dies of an error; a signal that nobody handles loses it. Errors of the stream are left
 * to those who own it.
 */
export class GatheredLines extends Writable {
  /** Those that have lines to write. One listener of the process is for all of them: many would be called a leak. */
  static readonly #waiting = new Set<GatheredLines>();

  static readonly #flushAll = () => {
    for (const lines of GatheredLines.#waiting) lines.#flush();
  };

  constructor(stream: NodeJS.WritableStream) {
    super({
      decodeStrings: false,
      writev: (chunks, done) => void stream.write(chunks.map(({ chunk }) => chunk).join(''), () => done()),
    });
  }

  override write(line: string): boolean {
    const waiting = GatheredLines.#waiting;
    if (!waiting.has(this)) {
      if (waiting.size === 0) process.once('exit', GatheredLines.#flushAll);
      waiting.add(this);
      this.cork();
      setImmediate(() => this.#flush());
    }
    return super.write(line);
  }

  #flush(): void {
    if (!GatheredLines.#waiting.delete(this)) return;
    if (GatheredLines.#waiting.size === 0) process.off('exit', GatheredLines.#flushAll);
    this.uncork();
  }
}
