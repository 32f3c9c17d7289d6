/** An in-memory store of objects with resource versions, conflicts, history and consistent pages, like etcd. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectionPath, JsonObject, ObjectInput, StoredObject } from './object-types.ts';
import { createExpiredError, StatusError } from './status-error.ts';
import { convertChange, type StoredVersions } from './stored-versions.ts';
import { hasFinalizers, hasGeneration, mergeUpdate, type UpdateScope, withGeneration } from './update.ts';

export interface StoreChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly collection: CollectionPath;
  /** Resource version of the change. For a deletion, the deleted object also gets the resource version. */
  readonly version: number;
  readonly object: StoredObject;
  /** The stored object before the change, absent for a new object. */
  readonly previous: StoredObject | undefined;
}

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** An object and its position in the store. */
export interface StoredEntry {
  readonly collection: CollectionPath;
  readonly key: string;
  readonly object: StoredObject;
}

export interface UpdateOptions {
  readonly scope: UpdateScope;
  readonly dryRun?: boolean;
  /** Completes and validates the object. Default: the object is stored unchanged. */
  readonly prepare?: (next: StoredObject, current: StoredObject) => StoredObject;
}

export interface RemovalOptions {
  readonly preconditions?: Preconditions | undefined;
  readonly dryRun?: boolean;
  /** Finalizer to add, which keeps the object until other objects are deleted. */
  readonly finalizer?: string | undefined;
}

export interface ObjectPage {
  readonly items: readonly StoredObject[];
  readonly version: number;
  readonly continue?: string;
  readonly remaining?: number;
}

/** The first resource version is just below 100, so that tests find code that compares versions as strings. */
const FIRST_RESOURCE_VERSION = 97;
export const CREATION_TIMESTAMP = '2026-01-01T00:00:00Z';

export class ObjectStore {
  #version = FIRST_RESOURCE_VERSION;
  #compactedVersion = 0;
  #uids = 0;
  #snapshots = new Map<number, ObjectPage>();
  #snapshotIds = 0;
  readonly #objects = new Map<CollectionPath, Map<string, StoredObject>>();
  readonly #entriesByUid = new Map<string, Omit<StoredEntry, 'object'>>();
  #history: StoreChange[] = [];
  readonly #onChange: (change: StoreChange) => void;
  readonly #versions: StoredVersions;

  /**
   * @param onChange Called synchronously for each change, in order.
   * @param versions Versions whose objects are stored in another version. Default: each version has separate objects.
   */
  constructor(onChange: (change: StoreChange) => void, versions: StoredVersions = new Map()) {
    this.#onChange = onChange;
    this.#versions = versions;
  }

  /** Resource version of the last change in any collection. */
  get version(): number {
    return this.#version;
  }

  find(collection: CollectionPath, key: string): StoredObject | undefined {
    const version = this.#versions.get(collection);
    if (version !== undefined) {
      const object = this.find(version.hub, key);
      return object && version.fromHub(object);
    }
    return this.#objectsIn(collection).get(key);
  }

  get(collection: CollectionPath, key: string): StoredObject {
    const object = this.find(collection, key);
    if (!object) throw new StatusError(404, `${formatResource(collection)} "${parseName(key)}" not found`);
    return object;
  }

  /** Returns the object with this UID, or `undefined` if it does not exist. */
  findByUid(uid: string): StoredEntry | undefined {
    const entry = this.#entriesByUid.get(uid);
    const object = entry && this.find(entry.collection, entry.key);
    return entry && object && { ...entry, object };
  }

  /** Returns the objects of all collections for which `isSelected` returns true. */
  filter(isSelected: (object: StoredObject) => boolean): readonly StoredEntry[] {
    return [...this.#objects].flatMap(([collection, objects]) =>
      [...objects].filter(([, object]) => isSelected(object)).map(([key, object]) => ({ collection, key, object })),
    );
  }

  /** Returns the objects sorted by key, like etcd. */
  all(collection: CollectionPath, namespace?: string): StoredObject[] {
    const version = this.#versions.get(collection);
    if (version !== undefined) return this.all(version.hub, namespace).map(version.fromHub);
    const objects = [...this.#objectsIn(collection)].filter(
      ([, { metadata }]) => namespace === undefined || metadata.namespace === namespace,
    );
    return objects.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  create(collection: CollectionPath, key: string, input: ObjectInput & JsonObject, dryRun = false): StoredObject {
    if (this.find(collection, key)) {
      const message = `${formatResource(collection)} "${parseName(key)}" already exists`;
      throw new StatusError(409, message, { reason: 'AlreadyExists' });
    }
    const version = this.#versions.get(collection);
    if (version !== undefined) return version.fromHub(this.create(version.hub, key, version.toHub(input), dryRun));
    const serverOwned = { uid: this.#nextUid(), creationTimestamp: CREATION_TIMESTAMP };
    const generation = hasGeneration(collection) && { generation: 1 };
    const object = { ...input, metadata: { ...input.metadata, ...serverOwned, ...generation } };
    return this.#store('ADDED', collection, key, object, dryRun);
  }

  update(
    collection: CollectionPath,
    key: string,
    input: ObjectInput & JsonObject,
    { scope, dryRun = false, prepare = (object) => object }: UpdateOptions,
  ): StoredObject {
    const current = this.get(collection, key);
    checkPreconditions(input.metadata, current, collection);
    const merged = prepare(mergeUpdate(current, input, scope), current);
    const version = this.#versions.get(collection);
    if (version !== undefined) {
      const options = { scope: 'all', dryRun } as const;
      return version.fromHub(this.update(version.hub, key, version.toHub(merged), options));
    }
    const next = withGeneration(merged, current);
    if (isDeepStrictEqual(next, current)) return current;
    const isGone = next.metadata.deletionTimestamp !== undefined && !hasFinalizers(next);
    if (!isGone) return this.#store('MODIFIED', collection, key, next, dryRun);
    this.#store('DELETED', collection, key, next, dryRun);
    return next; // the response has the version before the deletion; only watches get the version of the deletion
  }

  /** Removes the object. If the object has finalizers, sets only the deletion timestamp. */
  delete(collection: CollectionPath, key: string, options: RemovalOptions = {}): StoredObject {
    const { preconditions = {}, dryRun = false, finalizer } = options;
    const version = this.#versions.get(collection);
    if (version !== undefined) return version.fromHub(this.delete(version.hub, key, options));
    const current = this.get(collection, key);
    checkPreconditions(preconditions, current, collection);
    const { finalizers = [], generation } = current.metadata;
    if (finalizer === undefined && !hasFinalizers(current)) {
      return this.#store('DELETED', collection, key, current, dryRun);
    }
    if (current.metadata.deletionTimestamp !== undefined) return current;
    const metadata = {
      ...current.metadata,
      ...{ deletionTimestamp: CREATION_TIMESTAMP, deletionGracePeriodSeconds: 0 },
      ...(generation !== undefined && { generation: generation + 1 }),
      ...(finalizer !== undefined && { finalizers: [...finalizers, finalizer] }),
    };
    const status = current.kind === 'Namespace' && { status: { phase: 'Terminating' } };
    return this.#store('MODIFIED', collection, key, { ...current, metadata, ...status }, dryRun);
  }

  /** Removes the object, even with finalizers. */
  remove(collection: CollectionPath, key: string): StoredObject {
    const hub = this.#versions.get(collection)?.hub ?? collection;
    return this.#store('DELETED', hub, key, this.get(hub, key), false);
  }

  /**
   * Returns a page at the resource version of the first page. Throws a StatusError with 410 if the version is
   * compacted.
   * @param limit Maximum number of objects. 0 returns all objects.
   */
  page(collection: CollectionPath, namespace: string | undefined, limit: number, token?: string): ObjectPage {
    const { snapshot, offset } =
      token === undefined ? this.#snapshot(collection, namespace) : decodeContinueToken(token);
    const snapshotPage = this.#snapshots.get(snapshot);
    if (!snapshotPage)
      throw new StatusError(410, 'The provided continue parameter is too old to display a consistent list result.');
    const end = limit === 0 ? snapshotPage.items.length : Math.min(offset + limit, snapshotPage.items.length);
    const page = { items: snapshotPage.items.slice(offset, end), version: snapshotPage.version };
    const remaining = snapshotPage.items.length - end;
    return remaining === 0 ? page : { ...page, continue: encodeContinueToken({ snapshot, offset: end }), remaining };
  }

  /** Returns the changes after `resourceVersion`. Throws a StatusError with 410 if some changes are compacted. */
  changesSince(collection: CollectionPath, resourceVersion: number): readonly StoreChange[] {
    if (resourceVersion < this.#compactedVersion) throw createExpiredError(resourceVersion, this.#compactedVersion);
    if (resourceVersion > this.#version)
      throw new StatusError(504, `Too large resource version: ${resourceVersion}, current: ${this.#version}`);
    return this.#history
      .filter((change) => change.version > resourceVersion)
      .flatMap((change) => convertChange(this.#versions, change))
      .filter((change) => change.collection === collection);
  }

  compact(): void {
    this.#compactedVersion = this.#version;
    this.#history = [];
    this.#snapshots.clear();
  }

  #objectsIn(collection: CollectionPath): Map<string, StoredObject> {
    const objects = this.#objects.get(collection) ?? new Map<string, StoredObject>();
    this.#objects.set(collection, objects);
    return objects;
  }

  #nextUid(): string {
    return `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, '0')}`;
  }

  #snapshot(collection: CollectionPath, namespace: string | undefined): { snapshot: number; offset: number } {
    const snapshot = ++this.#snapshotIds;
    this.#snapshots.set(snapshot, { items: this.all(collection, namespace), version: this.#version });
    return { snapshot, offset: 0 };
  }

  #store(
    type: StoreChange['type'],
    collection: CollectionPath,
    key: string,
    value: ObjectInput & JsonObject,
    dryRun: boolean,
  ): StoredObject {
    const version = this.#version + 1;
    const written = dryRun ? {} : { resourceVersion: String(version) };
    // The copy protects the store from later changes of the caller's object, and JSON removes fields with the value
    // undefined.
    const object = JSON.parse(
      JSON.stringify({ ...value, metadata: { ...value.metadata, ...written } }),
    ) as StoredObject;
    if (dryRun) return object;
    this.#version = version;
    const previous = this.find(collection, key);
    if (type === 'DELETED') {
      this.#objectsIn(collection).delete(key);
      this.#entriesByUid.delete(object.metadata.uid);
    } else {
      this.#objectsIn(collection).set(key, object);
      this.#entriesByUid.set(object.metadata.uid, { collection, key });
    }
    const change = { type, collection, version, object, previous };
    this.#history.push(change);
    for (const each of convertChange(this.#versions, change)) this.#onChange(each);
    return object;
  }
}

function checkPreconditions(preconditions: Preconditions, current: StoredObject, collection: CollectionPath): void {
  const { uid, resourceVersion, name } = current.metadata;
  const subject = `Operation cannot be fulfilled on ${formatResource(collection)} "${name}"`;
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw new StatusError(
      409,
      `${subject}: Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`,
    );
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw new StatusError(
      409,
      `${subject}: the object has been modified; please apply your changes to the latest version`,
    );
  }
}

export function formatResource(collection: CollectionPath): string {
  const [plural = '', , group] = collection.split('/').reverse();
  return group === undefined || !collection.startsWith('/apis/') ? plural : `${plural}.${group}`;
}

function parseName(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

function encodeContinueToken(token: { snapshot: number; offset: number }): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function decodeContinueToken(token: string): { snapshot: number; offset: number } {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    throw new StatusError(400, `continue key is not valid: ${token}`);
  }
}
