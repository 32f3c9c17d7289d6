import QuickLRU from 'quick-lru';

/** Maximum number of objects that the cache does not have; up to twice as many may be held. */
const MAX_UNCACHED = 10_000;

/**
 * Names or UIDs of objects that this process knows better than the cache. Objects that the cache does not have may
 * never arrive, so the oldest of them are dropped.
 */
export class TrackedIds {
  readonly #cached = new Set<string>();
  readonly #uncached = new QuickLRU<string, true>({ maxSize: MAX_UNCACHED });

  /** The number of these objects that the cache has. */
  get cachedCount(): number {
    return this.#cached.size;
  }

  /** @param isCached Whether the cache has the object, in any state. */
  add(id: string, isCached: boolean): void {
    this.delete(id);
    if (isCached) this.#cached.add(id);
    else this.#uncached.set(id, true);
  }

  has(id: string): boolean {
    return this.#cached.has(id) || this.#uncached.has(id);
  }

  delete(id: string): void {
    this.#cached.delete(id);
    this.#uncached.delete(id);
  }

  /** Records that the cache has the object now, or no longer has it. Does nothing for an id that is not tracked. */
  setCached(id: string, isCached: boolean): void {
    if (this.has(id)) this.add(id, isCached);
  }
}
