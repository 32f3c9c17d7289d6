/**
 * Deletes objects in the same way as the garbage collector and the namespace controller of a cluster. The deletions
 * happen during the request, so that a test need not wait.
 */
import type { DeleteOptions } from '../../client/client.ts';
import type { ObjectStore, RemovalOptions, StoredEntry } from './object-store.ts';
import type { StoredObject } from './object-types.ts';

export interface DeletionOptions extends Omit<RemovalOptions, 'finalizer'> {
  readonly propagationPolicy?: DeleteOptions['propagationPolicy'];
}

type ObjectLocation = Omit<StoredEntry, 'object'>;

export const NAMESPACE_COLLECTION = '/api/v1/namespaces';
/** The finalizer of an owner that waits for the deletion of its dependents. */
const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** Kinds whose dependents are orphaned if the request sets no propagation policy. */
const ORPHANING_COLLECTIONS: readonly string[] = ['/apis/batch/v1/jobs', '/api/v1/replicationcontrollers'];

/** Deletes an object, and its dependents according to the propagation policy. Returns the object. */
export function deleteObject(
  store: ObjectStore,
  { collection, key }: ObjectLocation,
  options: DeletionOptions,
): StoredObject {
  const { preconditions, dryRun = false } = options;
  const { propagationPolicy = ORPHANING_COLLECTIONS.includes(collection) ? 'Orphan' : 'Background' } = options;
  const { uid } = store.get(collection, key).metadata;
  const blocking = propagationPolicy === 'Foreground' ? listBlockingDependents(store, uid) : [];
  const finalizer = blocking.length > 0 ? FOREGROUND_FINALIZER : undefined;
  const deleted = store.delete(collection, key, { preconditions, dryRun, finalizer });
  if (dryRun) return deleted;
  if (propagationPolicy === 'Orphan') {
    for (const dependent of listDependents(store, uid))
      removeOwnerReferences(store, dependent, (owner) => owner === uid);
  }
  deleteObjects(store, blocking, { propagationPolicy });
  if (collection === NAMESPACE_COLLECTION) {
    deleteObjects(store, listObjectsInNamespace(store, key), { propagationPolicy: 'Background' });
    completeNamespaceDeletion(store, key);
  } else if (store.findByUid(uid) === undefined) {
    collectGarbage(store, deleted);
  }
  return deleted;
}

/**
 * After the deletion of `deleted`, deletes the dependents, the owners and the namespace that waited for the deletion.
 */
export function collectGarbage(store: ObjectStore, { metadata: deleted }: StoredObject): void {
  const isGone = (uid: string) => store.findByUid(uid) === undefined;
  for (const dependent of listDependents(store, deleted.uid)) {
    const { ownerReferences = [] } = dependent.object.metadata;
    if (ownerReferences.every(({ uid }) => isGone(uid)))
      deleteObjects(store, [dependent], { propagationPolicy: 'Background' });
    else removeOwnerReferences(store, dependent, isGone);
  }
  for (const { uid } of deleted.ownerReferences ?? []) completeForegroundDeletion(store, uid);
  if (deleted.namespace !== undefined) completeNamespaceDeletion(store, deleted.namespace);
}

/** Skips an entry that the deletion of an earlier entry has also deleted. */
function deleteObjects(store: ObjectStore, entries: readonly StoredEntry[], options: DeletionOptions): void {
  for (const entry of entries) {
    if (store.findByUid(entry.object.metadata.uid) !== undefined) deleteObject(store, entry, options);
  }
}

function listDependents(store: ObjectStore, ownerUid: string): readonly StoredEntry[] {
  return store.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === ownerUid) ?? false);
}

function listBlockingDependents(store: ObjectStore, ownerUid: string): readonly StoredEntry[] {
  return listDependents(store, ownerUid).filter(({ object }) =>
    object.metadata.ownerReferences?.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion),
  );
}

function listObjectsInNamespace(store: ObjectStore, namespace: string): readonly StoredEntry[] {
  return store.filter(({ metadata }) => metadata.namespace === namespace);
}

function removeOwnerReferences(
  store: ObjectStore,
  { collection, key }: ObjectLocation,
  isRemoved: (uid: string) => boolean,
): void {
  const { metadata, ...rest } = store.get(collection, key);
  const ownerReferences = metadata.ownerReferences?.filter(({ uid }) => !isRemoved(uid)) ?? [];
  const { ownerReferences: _, ...others } = metadata;
  const remaining = ownerReferences.length > 0 && { ownerReferences };
  store.update(collection, key, { ...rest, metadata: { ...others, ...remaining } }, { scope: 'all' });
}

function completeForegroundDeletion(store: ObjectStore, ownerUid: string): void {
  const owner = store.findByUid(ownerUid);
  const { finalizers = [] } = owner?.object.metadata ?? {};
  if (
    owner === undefined ||
    !finalizers.includes(FOREGROUND_FINALIZER) ||
    listBlockingDependents(store, ownerUid).length > 0
  )
    return;
  const { metadata, ...rest } = owner.object;
  const remaining = finalizers.filter((each) => each !== FOREGROUND_FINALIZER);
  const updated = { ...rest, metadata: { ...metadata, finalizers: remaining } };
  store.update(owner.collection, owner.key, updated, { scope: 'all' });
  if (remaining.length === 0) collectGarbage(store, owner.object);
}

function completeNamespaceDeletion(store: ObjectStore, name: string): void {
  const isTerminating = store.find(NAMESPACE_COLLECTION, name)?.metadata.deletionTimestamp !== undefined;
  if (isTerminating && listObjectsInNamespace(store, name).length === 0) store.remove(NAMESPACE_COLLECTION, name);
}
