import type { IncomingMessage, ServerResponse } from 'node:http';

/** A watch through the proxy. */
export class OpenWatch {
  readonly resource: string;
  /** Resolves when either side has closed it. */
  readonly ended: Promise<void>;
  readonly #source: IncomingMessage;
  readonly #sink: ServerResponse;
  #held: Buffer[] | undefined;
  /** Number of bytes until the break. */
  #left = Number.POSITIVE_INFINITY;

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
  hold(): void {
    this.#held ??= [];
  }

  /** Sends the events that were held back, all together, and forwards later ones as usual. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const chunk of held) this.#sink.write(chunk);
  }

  /** Breaks the connection, in the middle of an event if one is held back. */
  cut(): void {
    const [first] = this.#held ?? [];
    const end = () => this.#sink.destroy();
    if (first === undefined) end();
    else this.#sink.write(first.subarray(0, Math.ceil(first.length / 2)), end);
  }

  /** Breaks the connection after this number of bytes, also in the middle of an event. */
  cutAfter(bytes: number): void {
    this.#left = bytes;
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
    if (this.#held) this.#held.push(chunk);
    else if (chunk.length < this.#left) {
      this.#left -= chunk.length;
      this.#sink.write(chunk);
    } else this.#sink.write(chunk.subarray(0, this.#left), () => this.#sink.destroy());
  }
}
