import type { KubernetesObject } from '../kubernetes/object.ts';

/** The status writes of one object, and the passes that their events would start. */
interface ObjectWrites {
  /** Resource versions that passes wrote and whose events have not arrived. */
  readonly versions: Set<string>;
  /** The passes for events that may belong to the write in flight, by resource version. */
  readonly unidentified: Map<string, () => void>;
  /** The passes for the events of writes of the current pass. */
  heldPasses: (() => void)[];
  isPassRunning: boolean;
  isWriteInFlight: boolean;
}

/**
 * Holds back the passes that a controller's own status writes would start. If the pass that wrote the status fails, an
 * immediate next pass would bypass the back-off, and a status with a new text in each pass would cause an endless loop.
 * After a successful pass, the held passes start.
 */
export class StatusWrites {
  readonly #writesByKey = new Map<string, ObjectWrites>();

  /** Must be called before the pass of an object that exists. */
  startPass(key: string): void {
    const writes = this.#writesByKey.get(key);
    if (writes !== undefined) writes.isPassRunning = true;
  }

  /** Sends a status write. Rejects if another write of the object is in flight. */
  async write<T extends KubernetesObject>(key: string, send: () => Promise<T>): Promise<T> {
    const writes = this.#getOrCreate(key);
    if (writes.isWriteInFlight)
      throw new Error('status: called while an earlier call has not finished, so the writes may conflict; use await');
    writes.isWriteInFlight = true;
    try {
      const object = await send();
      const { resourceVersion } = object.metadata;
      const heldPass = writes.unidentified.get(resourceVersion);
      writes.unidentified.delete(resourceVersion);
      if (heldPass === undefined) writes.versions.add(resourceVersion);
      else writes.heldPasses.push(heldPass);
      return object;
    } finally {
      writes.isWriteInFlight = false;
      for (const startPass of writes.unidentified.values()) startPass();
      writes.unidentified.clear();
    }
  }

  /**
   * Returns whether the update is a status write of a running or failed pass, or may be one.
   * @param startPass Adds the object to the queue. Called later if the update is not such a write.
   */
  hold(key: string, { metadata: { resourceVersion } }: KubernetesObject, startPass: () => void): boolean {
    const writes = this.#writesByKey.get(key);
    if (writes === undefined) return false;
    if (writes.versions.delete(resourceVersion)) {
      if (writes.isPassRunning) writes.heldPasses.push(startPass);
      return true;
    }
    // The event of a write may arrive before its response.
    if (writes.isWriteInFlight) writes.unidentified.set(resourceVersion, startPass);
    return writes.isWriteInFlight;
  }

  /** @param willRetry Whether the object waits for its back-off. */
  endPass(key: string, willRetry: boolean): void {
    const writes = this.#writesByKey.get(key);
    if (writes === undefined) return;
    const { heldPasses } = writes;
    writes.heldPasses = [];
    writes.isPassRunning = false;
    if (willRetry) return;
    this.#writesByKey.delete(key);
    for (const startPass of heldPasses) startPass();
  }

  /** Forgets an object that does not exist. */
  forget(key: string): void {
    this.#writesByKey.delete(key);
  }

  #getOrCreate(key: string): ObjectWrites {
    const existing = this.#writesByKey.get(key);
    if (existing !== undefined) return existing;
    const writes: ObjectWrites = {
      versions: new Set(),
      unidentified: new Map(),
      heldPasses: [],
      isPassRunning: true,
      isWriteInFlight: false,
    };
    this.#writesByKey.set(key, writes);
    return writes;
  }
}
