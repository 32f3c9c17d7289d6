/**
 * Receives every change, as soon as the store contains the change. Must not block. The informer logs errors of
 * handlers.
 */
export interface EventHandler<T> {
  /** Called for an object that the cache did not contain before. */
  onAdd(object: T): void;
  /** Called for a new version of an object. */
  onUpdate(oldObject: T, object: T): void;
  /** @param object The last known version of the deleted object. */
  onDelete(object: T): void;
  /** Called for an object that the cache no longer contains, because the cache no longer watches its namespace. */
  onForget?(object: T): void;
  /** Called when a watch has opened after a failure. The informer then delivers the missed changes. */
  onResume?(): void;
  /** Called each time before the informer reads all objects. */
  onRelist?(): void;
  /**
   * Returns the object with the given resource version if this process wrote the object and the watch has not delivered
   * it yet. The returned object must be a result of `Informer.applyTransform`. Default: `undefined`.
   */
  findWritten?(resourceVersion: string): T | undefined;
}
