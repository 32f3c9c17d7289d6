import type { KubernetesObject } from '../kubernetes/object.ts';

/** The status writes of one object, and the reconciles that their events would start. */
interface ObjectWrites {
  /** Resource versions that reconciles wrote and whose events have not arrived. */
  readonly versions: Set<string>;
  /** The reconciles for events that may belong to the write in flight, by resource version. */
  readonly unidentified: Map<string, () => void>;
  /** The reconciles for the events of writes of the current reconcile. */
  heldReconciles: (() => void)[];
  isReconcileRunning: boolean;
  isWriteInFlight: boolean;
}

/**
 * Holds back the reconciles that a controller's own status writes would start. If the reconcile that wrote the status
 * fails, an immediate next reconcile would bypass the back-off, and a status with a new text in each reconcile would
 * cause an endless loop. After a successful reconcile, the held reconciles start.
 */
export class StatusWrites {
  readonly #writesByKey = new Map<string, ObjectWrites>();

  /** Must be called before the reconcile of an object that exists. */
  startReconcile(key: string): void {
    const writes = this.#writesByKey.get(key);
    if (writes !== undefined) writes.isReconcileRunning = true;
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
      const heldReconcile = writes.unidentified.get(resourceVersion);
      writes.unidentified.delete(resourceVersion);
      if (heldReconcile === undefined) writes.versions.add(resourceVersion);
      else writes.heldReconciles.push(heldReconcile);
      return object;
    } finally {
      writes.isWriteInFlight = false;
      for (const startReconcile of writes.unidentified.values()) startReconcile();
      writes.unidentified.clear();
    }
  }

  /**
   * Returns whether the update is a status write of a running or failed reconcile, or may be one.
   * @param startReconcile Adds the object to the queue. Called later if the update is not such a write.
   */
  hold(key: string, { metadata: { resourceVersion } }: KubernetesObject, startReconcile: () => void): boolean {
    const writes = this.#writesByKey.get(key);
    if (writes === undefined) return false;
    if (writes.versions.delete(resourceVersion)) {
      if (writes.isReconcileRunning) writes.heldReconciles.push(startReconcile);
      return true;
    }
    // The event of a write may arrive before its response.
    if (writes.isWriteInFlight) writes.unidentified.set(resourceVersion, startReconcile);
    return writes.isWriteInFlight;
  }

  /** @param willRetry Whether the object waits for its back-off. */
  endReconcile(key: string, willRetry: boolean): void {
    const writes = this.#writesByKey.get(key);
    if (writes === undefined) return;
    const { heldReconciles } = writes;
    writes.heldReconciles = [];
    writes.isReconcileRunning = false;
    if (willRetry) return;
    this.#writesByKey.delete(key);
    for (const startReconcile of heldReconciles) startReconcile();
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
      heldReconciles: [],
      isReconcileRunning: true,
      isWriteInFlight: false,
    };
    this.#writesByKey.set(key, writes);
    return writes;
  }
}
