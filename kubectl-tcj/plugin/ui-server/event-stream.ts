/** Sends server-sent events to a client, at most as fast as the client reads them. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Cancel, Clock } from 'controller-runtime';

/** The interval between two SSE comments, which prevent proxies from closing an idle connection. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #closeController = new AbortController();
  #cancelKeepAlive: Cancel = () => {};

  /** Sends the headers of the response. @param signal Ends the response when it aborts. */
  constructor(response: ServerResponse, clock: Clock, signal: AbortSignal) {
    this.#response = response;
    this.#clock = clock;
    const destroy = () => void response.destroy();
    signal.addEventListener('abort', destroy, { signal: this.#closeController.signal });
    response.once('close', () => this.#close());
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    if (signal.aborted) destroy();
    else this.#scheduleKeepAlive();
  }

  /** Aborts when the client disconnects or the response ends. */
  get signal(): AbortSignal {
    return this.#closeController.signal;
  }

  /** Resolves when the client has read enough for the next event, or when the stream has ended. */
  async send(data: unknown, event?: string): Promise<void> {
    if (this.signal.aborted) return;
    const eventLine = event === undefined ? '' : `event: ${event}\n`;
    // The data is a single line, because JSON escapes line breaks.
    if (this.#response.write(`${eventLine}data: ${JSON.stringify(data)}\n\n`)) return;
    await once(this.#response, 'drain', { signal: this.signal }).catch(() => {});
  }

  end(): void {
    this.#response.end();
  }

  #close(): void {
    this.#cancelKeepAlive();
    this.#closeController.abort();
  }

  #scheduleKeepAlive(): void {
    this.#cancelKeepAlive = this.#clock.schedule(KEEP_ALIVE_INTERVAL_MS, () => {
      if (!this.#response.writableNeedDrain && !this.#response.writableEnded) this.#response.write(': still here\n\n');
      this.#scheduleKeepAlive();
    });
  }
}
