import { isDeepStrictEqual } from 'node:util';
import type { CollectionPath, JsonObject, ObjectInput, StoredObject } from './object-types.ts';

/**
 * Fields that an update changes: all fields except for the status (`main`), only the status (`status`), or all fields
 * (`all`).
 */
export type UpdateScope = 'main' | 'status' | 'all';

/** Returns the object that an update stores, before defaults and validation. */
export function mergeUpdate(
  currentObject: StoredObject,
  input: ObjectInput & JsonObject,
  scope: UpdateScope,
): StoredObject {
  const { apiVersion, kind, metadata, status: currentStatus, ...rest } = currentObject;
  const { status: newStatus } = input;
  if (scope === 'status')
    return { ...rest, apiVersion, kind, metadata, ...(newStatus !== undefined && { status: newStatus }) };
  const serverOwned = Object.fromEntries(SERVER_OWNED_FIELDS.map((name) => [name, metadata[name]]));
  // Keeps a deletion timestamp of the client, because the validation rejects it later.
  if (scope === 'main') serverOwned['deletionTimestamp'] ??= input.metadata.deletionTimestamp;
  const status = scope === 'main' ? currentStatus : newStatus;
  const next = { ...input, apiVersion, kind, metadata: { ...input.metadata, ...serverOwned }, status };
  return JSON.parse(JSON.stringify(next)) as StoredObject;
}

/** Fields of the metadata that an update does not change. */
const SERVER_OWNED_FIELDS = [
  ...(['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const),
  ...(['generation', 'resourceVersion'] as const),
];

/** Increases `metadata.generation` if fields outside of the metadata and the status change. */
export function withGeneration(newObject: StoredObject, currentObject: StoredObject): StoredObject {
  const { generation } = currentObject.metadata;
  if (
    generation === undefined ||
    isDeepStrictEqual(withoutMetadataAndStatus(newObject), withoutMetadataAndStatus(currentObject))
  )
    return newObject;
  return { ...newObject, metadata: { ...newObject.metadata, generation: generation + 1 } };
}

function withoutMetadataAndStatus({ metadata: _, status: __, ...rest }: StoredObject): JsonObject {
  return rest;
}

/** Groups and plural names of built-in kinds whose objects have no `metadata.generation`. */
const COLLECTION_WITHOUT_GENERATION_PATTERN =
  /^\/api\/v1\/(?!pods$|replicationcontrollers$)|^\/apis\/(coordination|events|rbac\.authorization|storage|node)\.k8s\.io\//;

export function hasGeneration(collection: CollectionPath): boolean {
  return !COLLECTION_WITHOUT_GENERATION_PATTERN.test(collection);
}

/** A Namespace remains until its content is deleted. */
export function hasFinalizers({ metadata, kind }: StoredObject): boolean {
  return kind === 'Namespace' || (metadata.finalizers?.length ?? 0) > 0;
}
