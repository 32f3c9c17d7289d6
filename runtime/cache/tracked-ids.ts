import QuickLRU from 'quick-lru';

/** Of objects that the cache does not have; up to twice as many. */
const MAX_UNHEARD = 10_000;

/**
 * Names or UIDs of objects of which this process knows more than the cache. Those that the cache does not have may never come, so
 * the oldest of these are forgotten.
 */
export class TrackedIds {
  readonly #cached = new Set<string>();
  readonly #unheard = new QuickLRU<string, true>({ maxSize: MAX_UNHEARD });

  /** Of how many the cache has the object. */
  get cached(): number {
    return this.#cached.size;
  }

  /** @param isCached Whether the cache has the object, in whatever state. */
  add(id: string, isCached: boolean): void {
    this.delete(id);
    if (isCached) this.#cached.add(id);
    else this.#unheard.set(id, true);
  }

  has(id: string): boolean {
    return this.#cached.has(id) || this.#unheard.has(id);
  }

  delete(id: string): void {
    this.#cached.delete(id);
    this.#unheard.delete(id);
  }

  /** The cache has the object now, or no longer; nothing changes when it is none of these. */
  move(id: string, isCached: boolean): void {
    if (this.has(id)) this.add(id, isCached);
  }
}
