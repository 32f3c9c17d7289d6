/** Watch events, and the passes that follow. */

/** A watch event that has not reached the cache. */
export interface PendingWatchEvent<T> {
  readonly isDeleted: boolean;
  readonly object: T;
}

/** When passes over an object come. */
export interface PassQueue {
  readonly isQueued: boolean;
  readonly hasRetry: boolean;
  readonly wakeAtMs: number | undefined;
}
