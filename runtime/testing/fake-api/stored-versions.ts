/** Converts objects between the versions of custom kinds. The server stores all objects in the hub version. */
import { formatGroupVersionResource, resourcePath } from '../../kubernetes/resource.ts';
import type { Kind } from '../../schema/kind.ts';
import type { CollectionPath, JsonObject, ObjectInput, StoredObject } from './object-types.ts';
import { StatusError } from './status-error.ts';

/** A version of a kind other than the hub version. */
export interface StoredVersion {
  /** The collection of the hub version. */
  readonly hub: CollectionPath;
  /** Throws a StatusError with 500 if the conversion fails. */
  toHub(object: ObjectInput & JsonObject): StoredObject;
  /** Throws a StatusError with 500 if the conversion fails. */
  fromHub(object: StoredObject): StoredObject;
}

/** The versions of all kinds except for the hub versions, by collection. */
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

/** A change of an object in the hub version. */
interface HubChange {
  readonly collection: CollectionPath;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

/** Returns the change in the hub version and in all other versions. */
export function convertChange<C extends HubChange>(versions: StoredVersions, change: C): readonly C[] {
  const { object, previous } = change;
  const convertedChanges = [...versions].flatMap(([collection, { hub, fromHub }]) => {
    if (hub !== change.collection) return [];
    try {
      return [{ ...change, collection, object: fromHub(object), previous: previous && fromHub(previous) }];
    } catch {
      return []; // a write in the hub version succeeds even if the conversion fails
    }
  });
  return [change, ...convertedChanges];
}

/** The conversion to JSON removes fields with the value undefined. */
function convert(target: Kind, run: () => object): StoredObject {
  try {
    return JSON.parse(JSON.stringify(run()));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StatusError(500, `conversion to ${formatGroupVersionResource(target)} failed: ${message}`);
  }
}
