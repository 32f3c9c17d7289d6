/** What a body counts for at least: the buffers of its stream, however short it is. */
const LEAST_BYTES = 64 * 1024;

/** Room that one body has taken. */
export interface BodyPlace {
  /** The body is complete: from now on it keeps its room. */
  complete(): void;
  /** Gives the room back. Again does nothing. */
  leave(): void;
}

/**
 * Bounds the bytes of all request bodies that are held in memory, and with that how many are read at once. Nobody waits: when there is
 * no room, bodies that are still being sent give way, the one that began first before others. What the API server sends is there in
 * milliseconds; so slow senders make room for it, however many there are.
 */
export class BodyRoom {
  readonly #maxBytes: number;
  /** What evicts those that are still being sent, oldest first, with the bytes that each has. */
  readonly #incomplete = new Map<() => void, number>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are taken. Never more than the maximum. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Takes room for a body, before a byte of it is read. `undefined` when bodies that are complete leave none.
   * @param evict Called at most once, before the body is complete: it must stop being read. Its room is given back already.
   */
  take(bodyBytes: number, evict: () => void): BodyPlace | undefined {
    const bytes = Math.max(bodyBytes, LEAST_BYTES);
    if (!this.#makeRoom(bytes)) return undefined;
    this.#heldBytes += bytes;
    let isHeld = true;
    const leave = () => {
      this.#incomplete.delete(giveWay);
      if (isHeld) this.#heldBytes -= bytes;
      isHeld = false;
    };
    const giveWay = () => {
      leave();
      evict();
    };
    this.#incomplete.set(giveWay, bytes);
    return { complete: () => void this.#incomplete.delete(giveWay), leave };
  }

  #makeRoom(bytes: number): boolean {
    let missing = this.#heldBytes + bytes - this.#maxBytes;
    const evicted: (() => void)[] = [];
    for (const [giveWay, held] of this.#incomplete) {
      if (missing <= 0) break;
      missing -= held;
      evicted.push(giveWay);
    }
    if (missing > 0) return false;
    for (const giveWay of evicted) giveWay();
    return true;
  }
}
