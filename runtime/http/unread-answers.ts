import type { ServerResponse } from 'node:http';

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Bounds the answers that wait in memory until their clients read them: each in time, and all together in bytes. Beyond the bytes the
 * one that has waited for the longest time is given up, with its connection; the newest never is, however large.
 */
export class UnreadAnswers {
  readonly #timeoutMs: number;
  /** In the order of their requests. */
  readonly #answers = new Set<ServerResponse>();

  /** @param timeoutMs How long a client may take none of an answer. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Bytes that have not gone out yet. At most 16 MiB and the newest answer. */
  get bytes(): number {
    return [...this.#answers].reduce((sum, { writableLength }) => sum + writableLength, 0);
  }

  /** Follows the answer `response`, which was not begun yet. */
  watch(response: ServerResponse): void {
    this.#answers.add(response);
    response.once('close', () => this.#answers.delete(response));
    response.once('prefinish', () => {
      // Until it has gone out: Node then waits for the next request, with a timeout of its own.
      response.setTimeout(this.#timeoutMs);
      this.#makeRoomFor(response);
    });
  }

  #makeRoomFor(newest: ServerResponse): void {
    let excess = this.bytes - newest.writableLength - MAX_BYTES;
    for (const response of this.#answers) {
      if (excess <= 0) return;
      if (response === newest || response.writableLength === 0) continue;
      excess -= response.writableLength;
      response.destroy();
    }
  }
}
