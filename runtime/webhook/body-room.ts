/** What a body counts for at least: the buffers of its stream, however short it is. */
const LEAST_BYTES = 64 * 1024;

/** Room that one body has taken. */
export interface BodyPlace {
  /** The body is complete: from now on it gives way only to a sender that holds less. */
  complete(): void;
  /** Gives the room back. Again does nothing. */
  leave(): void;
}

export interface BodyOptions {
  readonly bytes: number;
  /** The address that sends it. */
  readonly sender: string | undefined;
  /** Called at most once: the body must be forgotten. Its room is given back already. */
  readonly evict: () => void;
}

interface Body extends BodyOptions {
  isComplete: boolean;
}

/**
 * Bounds the bytes of all request bodies that are held in memory, and with that how many are read at once. Nobody waits: when there is
 * no room, others give way. Those of the sender that holds the most go first, of these the ones that are still being sent, and of these
 * the one that began first. What the API server sends is there in milliseconds; so slow senders make room for it, however many there
 * are, and those who send much make room for it too where they have other addresses.
 */
export class BodyRoom {
  readonly #maxBytes: number;
  /** In the order in which they began. */
  readonly #bodies = new Set<Body>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are taken. Never more than the maximum. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Takes room for a body, before a byte of it is read. `undefined` when those that need not give way leave none. */
  take({ bytes, sender, evict }: BodyOptions): BodyPlace | undefined {
    const body = { bytes: Math.max(bytes, LEAST_BYTES), sender, evict, isComplete: false };
    if (!this.#makeRoom(body)) return undefined;
    this.#bodies.add(body);
    this.#heldBytes += body.bytes;
    const complete = () => {
      body.isComplete = true;
    };
    return { complete, leave: () => this.#leave(body) };
  }

  #leave(body: Body): void {
    if (this.#bodies.delete(body)) this.#heldBytes -= body.bytes;
  }

  #makeRoom({ bytes, sender }: Body): boolean {
    let missing = this.#heldBytes + bytes - this.#maxBytes;
    if (missing <= 0) return true;
    const heldBy = new Map<string | undefined, number>([[sender, bytes]]);
    for (const each of this.#bodies) heldBy.set(each.sender, (heldBy.get(each.sender) ?? 0) + each.bytes);
    const held = (body: Body) => heldBy.get(body.sender) ?? 0;
    const own = heldBy.get(sender) ?? 0;
    const evicted = [...this.#bodies]
      .filter((body) => !body.isComplete || held(body) > own)
      .sort((a, b) => held(b) - held(a) || Number(a.isComplete) - Number(b.isComplete))
      .filter((body) => {
        if (missing <= 0) return false;
        missing -= body.bytes;
        return true;
      });
    if (missing > 0) return false;
    for (const body of evicted) {
      this.#leave(body);
      body.evict();
    }
    return true;
  }
}
