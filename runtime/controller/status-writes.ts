import type { KubernetesObject } from '../kubernetes/object.ts';

/** The status writes of one object, and the reconciles that are held back because of the writes. */
interface ObjectWrites {
  /** Resource versions of status writes for which no watch event has arrived. */
  readonly versions: Set<string>;
  /** The held reconciles for events that arrived during a write and may belong to the write, by resource version. */
  readonly unidentified: Map<string, () => void>;
  /** The held reconciles for events of status writes in the current reconcile. */
  heldReconciles: (() => void)[];
  isReconcileRunning: boolean;
  isWriteInFlight: boolean;
}

/**
 * Holds back the reconciles that a controller's own status writes would start. After a failed reconcile, an immediate
 * reconcile would bypass the back-off. If each failed reconcile wrote a different status, the reconciles would never
 * end. After a successful reconcile, the controller starts the held reconciles.
 */
export class StatusWrites {
  readonly #writesByKey = new Map<string, ObjectWrites>();

  /** The reconciler calls this method before each reconcile of an existing object. */
  startReconcile(key: string): void {
    const writes = this.#writesByKey.get(key);
    if (writes !== undefined) writes.isReconcileRunning = true;
  }

  /** Sends a status write. Rejects if another status write of the same object is in flight. */
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
   * Returns true if a running or failed reconcile caused the update, or may have caused it.
   * @param startReconcile Adds the object to the queue. Called later if the update still needs a reconcile.
   */
  hold(key: string, { metadata: { resourceVersion } }: KubernetesObject, startReconcile: () => void): boolean {
    const writes = this.#writesByKey.get(key);
    if (writes === undefined) return false;
    if (writes.versions.delete(resourceVersion)) {
      if (writes.isReconcileRunning) writes.heldReconciles.push(startReconcile);
      return true;
    }
    // The watch event of a write may arrive before the response to the write.
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
