import QuickLRU from 'quick-lru';

/** Maximum number of IDs of objects that the cache does not contain. QuickLRU may store up to twice this number. */
const MAX_UNCACHED_IDS = 10_000;

/**
 * Names or UIDs of objects for which the cache is out of date. Some of the objects never arrive in the cache, so the
 * oldest ids of objects outside the cache are deleted.
 */
export class TrackedIds {
  readonly #cachedIds = new Set<string>();
  readonly #uncachedIds = new QuickLRU<string, true>({ maxSize: MAX_UNCACHED_IDS });

  /** The number of tracked objects that the cache contains. */
  get cachedCount(): number {
    return this.#cachedIds.size;
  }

  /** @param isCached Whether the cache contains any version of the object. */
  add(id: string, isCached: boolean): void {
    this.delete(id);
    if (isCached) this.#cachedIds.add(id);
    else this.#uncachedIds.set(id, true);
  }

  has(id: string): boolean {
    return this.#cachedIds.has(id) || this.#uncachedIds.has(id);
  }

  delete(id: string): void {
    this.#cachedIds.delete(id);
    this.#uncachedIds.delete(id);
  }

  /** Records whether the cache now contains the object. Ignores ids that are not tracked. */
  setCached(id: string, isCached: boolean): void {
    if (this.has(id)) this.add(id, isCached);
  }
}
