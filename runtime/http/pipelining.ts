import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows the requests of clients that do not wait for answers. Go's client, kubelets and Prometheus wait; the answers to one who does not
 * would pile up in memory.
 *
 * Whoever waits may still be ahead of us: that an answer has gone out is known here a moment after its last byte went, and the client may
 * have read it and asked again by then. So one answer that is complete may be under way, and no more.
 */
export class Pipelining {
  /** By connection, the answers that have not gone out as far as is known. */
  readonly #answers = new WeakMap<Socket, Set<ServerResponse>>();

  /** Whether the client cannot have read the answer to its last request. Follows `response` where it can. */
  isPipelined({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const answers = this.#answers.get(socket) ?? new Set();
    if (answers.size > 1 || [...answers].some(({ writableEnded }) => !writableEnded)) return true;
    this.#answers.set(socket, answers.add(response));
    const forget = () => answers.delete(response);
    response.once('finish', forget).once('close', forget);
    return false;
  }
}
