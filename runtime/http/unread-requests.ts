import type { IncomingMessage, ServerResponse } from 'node:http';

/** Each may keep the event loop busy with what it sends. */
const MAX_REQUESTS = 16;

/**
 * Reads and drops the rest of requests that are answered before they were read to their end, such as those that are too large. A
 * connection that is closed with something unread is reset, and its client loses the answer. Of more than 16 the oldest is closed; how long one may take
 * is up to the request timeout.
 */
export class UnreadRequests {
  /** In the order of their answers. */
  readonly #requests = new Set<IncomingMessage>();

  /** Follows `request` until its connection is ready for the next one. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    response.once('prefinish', () => {
      if (request.complete || request.destroyed) return;
      this.#requests.add(request);
      const forget = () => this.#requests.delete(request);
      request.once('end', forget).once('close', forget).resume();
      const [oldest] = this.#requests;
      if (this.#requests.size > MAX_REQUESTS) oldest?.destroy();
    });
  }
}
