/** Watch events, and the reconciles that follow. */

/** A watch event that has not reached the cache. */
export interface PendingWatchEvent<T> {
  readonly isDeleted: boolean;
  readonly object: T;
}

/** When reconciles of an object come. */
export interface ReconcileQueue {
  readonly isQueued: boolean;
  readonly hasRetry: boolean;
  readonly wakeAtMs: number | undefined;
}
