/** Sends server-sent events to one client, which may read slowly or not at all. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Cancel, Clock } from 'controller-runtime';

/** Keeps the connection alive for both sides and for proxies between them. */
const COMMENT_MS = 15_000;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #cancel: Cancel = () => {};

  /** Begins the response. @param signal Ends the response. */
  constructor(response: ServerResponse, clock: Clock, signal: AbortSignal) {
    this.#response = response;
    this.#clock = clock;
    const destroy = () => void response.destroy();
    signal.addEventListener('abort', destroy, { signal: this.#closed.signal });
    response.once('close', () => this.#close());
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    if (signal.aborted) destroy();
    else this.#comment();
  }

  /** Aborts when the client has disconnected, or the response has ended. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * Resolves when the stream can take the next event, which may never happen while the client does not read; or when it has ended.
   */
  async send(data: unknown, event?: string): Promise<void> {
    if (this.signal.aborted) return;
    const name = event === undefined ? '' : `event: ${event}\n`;
    // JSON has no line breaks.
    if (this.#response.write(`${name}data: ${JSON.stringify(data)}\n\n`)) return;
    await once(this.#response, 'drain', { signal: this.signal }).catch(() => {});
  }

  end(): void {
    this.#response.end();
  }

  #close(): void {
    this.#cancel();
    this.#closed.abort();
  }

  #comment(): void {
    this.#cancel = this.#clock.schedule(COMMENT_MS, () => {
      if (!this.#response.writableNeedDrain && !this.#response.writableEnded) this.#response.write(': still here\n\n');
      this.#comment();
    });
  }
}
