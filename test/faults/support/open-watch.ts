import type { IncomingMessage, ServerResponse } from 'node:http';

/** A watch through the proxy. */
export class OpenWatch {
  readonly resource: string;
  /** Resolves when either side has closed it. */
  readonly ended: Promise<void>;
  readonly #source: IncomingMessage;
  readonly #sink: ServerResponse;
  #heldChunks: Buffer[] | undefined;
  /** Number of bytes until the break. */
  #bytesLeft = Number.POSITIVE_INFINITY;

  constructor(resource: string, source: IncomingMessage, sink: ServerResponse) {
    this.resource = resource;
    this.#source = source;
    this.#sink = sink;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    source.on('data', (chunk: Buffer) => this.#pass(chunk));
    source.on('error', () => this.cut());
    source.once('end', () => {
      sink.end();
      resolve();
    });
    sink.once('close', () => {
      source.destroy();
      resolve();
    });
  }

  /** Holds back events from now on, including bookmarks. */
  pause(): void {
    this.#heldChunks ??= [];
  }

  /** Sends the events that were held back, all together, and forwards later ones as usual. */
  resume(): void {
    const held = this.#heldChunks ?? [];
    this.#heldChunks = undefined;
    for (const chunk of held) this.#sink.write(chunk);
  }

  /** Breaks the connection, in the middle of an event if one is held back. */
  cut(): void {
    const [first] = this.#heldChunks ?? [];
    const end = () => this.#sink.destroy();
    if (first === undefined) end();
    else this.#sink.write(first.subarray(0, Math.ceil(first.length / 2)), end);
  }

  /** Breaks the connection after this number of bytes, also in the middle of an event. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /** Reports that the resource version is too old, and ends the watch. */
  expire(): void {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Expired',
      code: 410,
      message: 'too old',
    };
    this.#source.destroy();
    this.#sink.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
  }

  #pass(chunk: Buffer): void {
    if (this.#heldChunks) this.#heldChunks.push(chunk);
    else if (chunk.length < this.#bytesLeft) {
      this.#bytesLeft -= chunk.length;
      this.#sink.write(chunk);
    } else this.#sink.write(chunk.subarray(0, this.#bytesLeft), () => this.#sink.destroy());
  }
}
