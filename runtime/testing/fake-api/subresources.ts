/** Handlers for deletions of collections, and for the subresources `scale`, `eviction` and `token`. */
import { isRecord } from '../../kubernetes/is-record.ts';
import { formatKey } from '../../kubernetes/resource.ts';
import type { ApiCall } from './api-request.ts';
import { type DeletionOptions, deleteObject } from './garbage-collector.ts';
import type { ObjectStore } from './object-store.ts';
import type { JsonObject, StoredObject } from './object-types.ts';
import { parseObjectFilter } from './selection.ts';

const TOKEN_LIFETIME_SECONDS = 3600;

/** Deletes the objects that the selectors of the request match. Returns the objects. */
export function deleteCollection(store: ObjectStore, call: ApiCall, options: DeletionOptions): readonly StoredObject[] {
  const { collection, namespace, query } = call;
  const objects = store.all(collection, namespace).filter(parseObjectFilter(query));
  for (const { metadata } of objects) {
    // The deletion of an earlier object may already have deleted the object.
    if (store.findByUid(metadata.uid) !== undefined)
      deleteObject(store, { collection, key: formatKey(metadata) }, options);
  }
  return objects;
}

/** Returns the autoscaling/v1 Scale of an object. */
export function toScale({ metadata, ...object }: StoredObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const [spec, status] = [getObjectField(object, 'spec'), getObjectField(object, 'status')];
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec['replicas'] ?? 1 },
    status: { replicas: status['replicas'] ?? 0 },
  };
}

/** Returns the object with the replicas and the resource version of a Scale. */
export function applyScale(object: StoredObject, scale: unknown): JsonObject {
  const { resourceVersion } = getObjectField(scale, 'metadata');
  const { replicas = 0 } = getObjectField(scale, 'spec');
  const metadata = { ...object.metadata, resourceVersion };
  return { ...object, metadata, spec: { ...getObjectField(object, 'spec'), replicas } };
}

/** Evicts a Pod without regard to PodDisruptionBudgets. Returns a Status. */
export function evict(store: ObjectStore, call: ApiCall, key: string, body: unknown, dryRun: boolean): JsonObject {
  const options: DeletionOptions = getObjectField(body, 'deleteOptions');
  deleteObject(store, { collection: call.collection, key }, { ...options, dryRun });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

/** Returns a TokenRequest with an unsigned token of a ServiceAccount. */
export function issueToken({ metadata }: StoredObject, body: unknown): JsonObject {
  const spec = getObjectField(body, 'spec');
  const { audiences = ['https://kubernetes.default.svc'], expirationSeconds = TOKEN_LIFETIME_SECONDS } = spec;
  const nowSeconds = Math.floor(Date.parse(metadata.creationTimestamp) / 1000);
  const exp = nowSeconds + Number(expirationSeconds);
  const sub = `system:serviceaccount:${metadata.namespace}:${metadata.name}`;
  const [header, payload] = [{ alg: 'none' }, { aud: audiences, exp, sub }].map(encodeBase64Url);
  return {
    ...(isRecord(body) && body),
    spec: { ...spec, audiences, expirationSeconds },
    status: { token: `${header}.${payload}.`, expirationTimestamp: new Date(exp * 1000).toISOString() },
  };
}

function encodeBase64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function getObjectField(value: unknown, field: string): Readonly<Record<string, unknown>> {
  const content = isRecord(value) ? value[field] : undefined;
  return isRecord(content) ? content : {};
}
