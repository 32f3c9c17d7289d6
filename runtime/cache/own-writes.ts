import type { CachedListOptions } from '../client/client.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type ObjectKey } from '../kubernetes/resource.ts';
import type { EventHandler } from './event-handler.ts';
import type { Informer } from './informer.ts';
import { Store, selectObjects } from './store.ts';
import { TrackedIds } from './tracked-ids.ts';
import { UnobservedWrites } from './unobserved-writes.ts';

/** Maximum number of written objects of a kind that {@link OwnWrites} stores. The oldest objects are deleted. */
const MAX_PENDING_OBJECTS = 10_000;

type OwnWritesInformer<T extends KubernetesObject> = Pick<
  Informer<T>,
  'store' | 'applyTransform' | 'isInScope' | 'isAwaited' | 'addEventHandler'
>;

/** The objects of one kind that this process has written or deleted, until the cache contains the changes. */
export class OwnWrites<T extends KubernetesObject> {
  readonly #informer: OwnWritesInformer<T>;
  /** Written objects that the cache does not contain yet. The store has the same indexes as the cache. */
  readonly #pendingObjects = new Store<T>();
  /** Keys of objects whose present state is unknown, because a write failed or its response did not contain the object. */
  readonly #uncertainKeys = new TrackedIds();
  /** UIDs of deleted objects that the cache still contains and that reads must omit. */
  readonly #deletedUids = new TrackedIds();
  readonly #unobservedWrites = new UnobservedWrites<T>();

  constructor(informer: OwnWritesInformer<T>) {
    this.#informer = informer;
    informer.addEventHandler(this.#createHandler());
  }

  /** Whether {@link merge} would return the objects of the cache unchanged. */
  get isEmpty(): boolean {
    return this.#pendingObjects.size === 0 && this.#deletedUids.cachedCount === 0;
  }

  /** Whether only the API server knows the present state of the object. */
  isUncertain(key: ObjectKey): boolean {
    return this.#uncertainKeys.has(formatKey(key));
  }

  /** Returns the written object if it is newer than the cached object. */
  getPending(key: ObjectKey): T | undefined {
    return this.#pendingObjects.get(formatKey(key));
  }

  isDeleted({ metadata }: T): boolean {
    return this.#deletedUids.has(metadata.uid);
  }

  /** Adds the writes that the cache does not contain yet to the objects from the cache. */
  merge(cachedObjects: readonly T[], options: CachedListOptions = {}): readonly T[] {
    this.#pendingObjects.copyIndexes(this.#informer.store);
    const currentObjects = cachedObjects.filter(
      (object) => !this.isDeleted(object) && this.#pendingObjects.get(formatKey(object)) === undefined,
    );
    for (const object of selectObjects(this.#pendingObjects, options)) {
      if (this.#isSelected(object)) currentObjects.push(object);
    }
    return currentObjects;
  }

  /**
   * Returns whether a list must contain the written object. Forgets a new object that was deleted before the cache
   * received it.
   */
  #isSelected(object: T): boolean {
    const key = formatKey(object);
    if (this.#informer.store.get(key) !== undefined) return this.#informer.isInScope(object); // a write may change the labels
    if (this.#informer.isAwaited(object)) return true;
    this.#pendingObjects.remove(key);
    return false;
  }

  /** Records that the outcome of a write is unknown. */
  recordUncertainWrite(key: ObjectKey): void {
    const keyText = formatKey(key);
    this.#uncertainKeys.add(keyText, this.#informer.store.get(keyText) !== undefined);
  }

  /** Stores a written object until the cache contains it. */
  recordWrittenObject(writtenObject: T): void {
    const key = formatKey(writtenObject);
    const cachedObject = this.#informer.store.get(key);
    this.#pendingObjects.remove(key);
    this.#uncertainKeys.delete(key);
    if (cachedObject !== undefined && !isOlder(cachedObject, writtenObject)) return;
    const transformedObject = this.#informer.applyTransform(writtenObject);
    this.#unobservedWrites.add(transformedObject);
    if (cachedObject === undefined) this.#uncertainKeys.add(key, false); // deleted, not yet cached, or out of scope
    if (cachedObject !== undefined || this.#informer.isAwaited(writtenObject))
      this.#addPendingObject(transformedObject);
  }

  #addPendingObject(object: T): void {
    this.#pendingObjects.upsert(object);
    if (this.#pendingObjects.size <= MAX_PENDING_OBJECTS) return;
    const [oldestKey = ''] = this.#pendingObjects.keys();
    this.#pendingObjects.remove(oldestKey);
    this.#uncertainKeys.add(oldestKey, this.#informer.store.get(oldestKey) !== undefined);
  }

  /**
   * Hides a deleted object until the cache receives the deletion.
   * @param uid UID of the deleted object, if known.
   */
  recordDeletion(objectKey: ObjectKey, uid: string | undefined): void {
    const key = formatKey(objectKey);
    const cachedObject = this.#informer.store.get(key);
    const visibleObjects = [cachedObject, this.#pendingObjects.remove(key)];
    this.#uncertainKeys.delete(key);
    if (uid !== undefined) this.#deletedUids.add(uid, cachedObject?.metadata.uid === uid);
    // An object with the same name and another UID is an earlier object, which is also deleted, or a later one.
    const isUncertain =
      uid === undefined || visibleObjects.some((object) => object && !this.#deletedUids.has(object.metadata.uid));
    if (isUncertain) this.#uncertainKeys.add(key, cachedObject !== undefined);
  }

  /** Compares the cache with an object that the API server returned. Returns the object as the cache stores it. */
  resolveUncertainty(objectKey: ObjectKey, liveObject: T | undefined): T | undefined {
    const key = formatKey(objectKey);
    const cachedObject = this.#informer.store.get(key);
    const selectedObject = liveObject && this.#informer.isInScope(liveObject) ? liveObject : undefined;
    const isCacheUpToDate =
      selectedObject === undefined
        ? cachedObject === undefined
        : cachedObject !== undefined && !isOlder(cachedObject, selectedObject);
    if (isCacheUpToDate) this.#uncertainKeys.delete(key);
    if (selectedObject === undefined) this.#pendingObjects.remove(key);
    return selectedObject && this.#informer.applyTransform(selectedObject);
  }

  /** Deletes a written object as soon as the cache contains it or a newer version. */
  #createHandler(): EventHandler<T> {
    return {
      findWritten: (resourceVersion) => this.#unobservedWrites.get(resourceVersion),
      onRelist: () => this.#handleRelist(),
      onAdd: (object) => this.#recordObservedObject(object),
      onUpdate: (oldObject, object) => {
        if (oldObject.metadata.uid !== object.metadata.uid) this.#deletedUids.delete(oldObject.metadata.uid);
        this.#recordObservedObject(object);
      },
      onForget: ({ metadata }) => {
        this.#deletedUids.delete(metadata.uid);
        this.#uncertainKeys.delete(formatKey(metadata));
        this.#pendingObjects.remove(formatKey(metadata));
      },
      onDelete: ({ metadata }) => {
        const key = formatKey(metadata);
        this.#deletedUids.delete(metadata.uid);
        this.#uncertainKeys.setCached(key, false);
        const pendingObject = this.#pendingObjects.get(key);
        if (pendingObject === undefined) return;
        // The written object was created after the deletion, and may be deleted by now.
        if (pendingObject.metadata.uid !== metadata.uid) this.#uncertainKeys.add(key, false);
        else this.#pendingObjects.remove(key);
      },
    };
  }

  #recordObservedObject(object: T): void {
    this.#unobservedWrites.delete(object);
    const key = formatKey(object);
    this.#deletedUids.setCached(object.metadata.uid, true);
    this.#uncertainKeys.setCached(key, true);
    const pendingObject = this.#pendingObjects.get(key);
    if (pendingObject !== undefined && !isOlder(object, pendingObject)) this.#pendingObjects.remove(key);
  }

  /** After a restore of etcd, old resource versions may be reused, and written objects may be missing. */
  #handleRelist(): void {
    this.#unobservedWrites.clear();
    for (const key of [...this.#pendingObjects.keys()]) {
      this.#pendingObjects.remove(key);
      this.#uncertainKeys.add(key, this.#informer.store.get(key) !== undefined);
    }
    if (this.#deletedUids.cachedCount === 0) return;
    for (const object of this.#informer.store.list()) {
      if (!this.#deletedUids.has(object.metadata.uid)) continue;
      this.#deletedUids.delete(object.metadata.uid);
      this.#uncertainKeys.add(formatKey(object), true);
    }
  }
}

/** Resource versions of one kind can be compared as numbers (Kubernetes enhancement 5504). */
function isOlder(cachedObject: KubernetesObject, writtenObject: KubernetesObject): boolean {
  return BigInt(cachedObject.metadata.resourceVersion) < BigInt(writtenObject.metadata.resourceVersion);
}
