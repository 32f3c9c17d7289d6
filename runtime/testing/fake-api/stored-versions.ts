/** Converts objects of further versions of custom kinds, which the server stores in the hub version. */
import { formatGroupVersionResource, resourcePath } from '../../kubernetes/resource.ts';
import type { Kind } from '../../schema/kind.ts';
import type { CollectionPath, JsonObject, ObjectInput, StoredObject } from './object-types.ts';
import { StatusError } from './status-error.ts';

/** A further version of a kind. */
export interface StoredVersion {
  /** The collection of the hub. */
  readonly hub: CollectionPath;
  /** Throws a StatusError with 500 if the conversion fails. */
  toHub(object: ObjectInput & JsonObject): StoredObject;
  /** Throws a StatusError with 500 if the conversion fails. */
  fromHub(object: StoredObject): StoredObject;
}

/** The further versions of all kinds by their collections. */
export type StoredVersions = ReadonlyMap<CollectionPath, StoredVersion>;

export function buildStoredVersions(kinds: readonly Kind[] = []): StoredVersions {
  return new Map(
    kinds.flatMap((kind) =>
      Object.values(kind.versions).map((version) => {
        const toHub = (object: ObjectInput & JsonObject) => convert(kind, () => version.toHub(object as StoredObject));
        const fromHub = (object: StoredObject) => convert(version, () => version.fromHub(object));
        return [resourcePath(version), { hub: resourcePath(kind), toHub, fromHub }] as const;
      }),
    ),
  );
}

/** A change of an object of the hub. */
interface HubChange {
  readonly collection: CollectionPath;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

/** Returns the change, and the same change of the object in its further versions. */
export function convertChange<C extends HubChange>(versions: StoredVersions, change: C): readonly C[] {
  const { object, previous } = change;
  const convertedChanges = [...versions].flatMap(([collection, { hub, fromHub }]) => {
    if (hub !== change.collection) return [];
    try {
      return [{ ...change, collection, object: fromHub(object), previous: previous && fromHub(previous) }];
    } catch {
      return []; // a write of the hub succeeds even if the object cannot be converted
    }
  });
  return [change, ...convertedChanges];
}

/** JSON removes fields with the value undefined. */
function convert(target: Kind, run: () => object): StoredObject {
  try {
    return JSON.parse(JSON.stringify(run()));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StatusError(500, `conversion to ${formatGroupVersionResource(target)} failed: ${message}`);
  }
}
