/** Checks, defaults and validates an object before the server stores the object, like a real API server. */
import { invalid } from '../../kubernetes/field-error.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { getGroup } from '../../kubernetes/resource.ts';
import type { ApiCall } from './api-request.ts';
import { NAMESPACE_COLLECTION } from './garbage-collector.ts';
import { formatResource, type ObjectStore } from './object-store.ts';
import type { CollectionPath, JsonObject, ObjectInput, StoredObject } from './object-types.ts';
import type { ServerState } from './server-state.ts';
import { createInvalidError, StatusError } from './status-error.ts';
import { validateObjectMeta } from './structural/object-meta.ts';

/**
 * Throws a StatusError with 404 if the server does not serve the kind of the path, or if the kind has another scope.
 */
export function checkPath({ customKinds, kinds }: ServerState, call: ApiCall): void {
  const { collection, namespace, name, verb, apiVersion } = call;
  const customKind = customKinds.get(collection);
  const needsNamespace = name !== undefined || verb === 'create';
  const isServed = customKind?.isNamespaced
    ? namespace !== undefined || !needsNamespace
    : customKind === undefined || namespace === undefined;
  const isOtherGroup = () => [...customKinds.values()].every(({ group }) => group !== getGroup(apiVersion));
  if (isServed && (customKind !== undefined || kinds.has(collection) || isOtherGroup())) return;
  throw new StatusError(404, 'the server could not find the requested resource', { reason: '' });
}

/** Throws a StatusError if the name, the namespace or the kind of the object does not match the URL of the request. */
export function checkName(
  { customKinds }: ServerState,
  call: ApiCall,
  { metadata, ...object }: ObjectInput & JsonObject,
): void {
  const { name, namespace, resourceVersion } = metadata;
  if (call.verb === 'create' && resourceVersion) {
    throw new StatusError(500, 'resourceVersion should not be set on objects to be created', { reason: '' });
  }
  if (call.name !== undefined && name !== call.name) {
    throw new StatusError(400, `the name of the object (${name}) does not match the name on the URL (${call.name})`);
  }
  if (namespace !== undefined && namespace !== call.namespace) {
    throw new StatusError(400, 'the namespace of the provided object does not match the namespace sent on the request');
  }
  const customKind = customKinds.get(call.collection);
  if (customKind === undefined) return;
  const { kind, apiVersion } = customKind;
  const isSameKind = object['kind'] === kind;
  if (isSameKind && object['apiVersion'] === apiVersion) return;
  if (isSameKind || object['kind'] === undefined || call.verb === 'patch') {
    throw new StatusError(400, `the object in the data must be a ${kind} of ${apiVersion}`);
  }
  throw createInvalidError(customKind, name, [invalid('kind', object['kind'], `must be ${kind}`)]);
}

/** Throws a StatusError with 422 if an update of a custom resource has no resource version. */
export function checkResourceVersion(
  { customKinds }: ServerState,
  { collection, verb }: ApiCall,
  { metadata }: ObjectInput,
): void {
  const customKind = customKinds.get(collection);
  if (verb !== 'update' || customKind === undefined || metadata.resourceVersion) return;
  const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
  throw createInvalidError(customKind, metadata.name, [error]);
}

/** Throws a StatusError with 403 if the namespace is being deleted. */
export function checkNamespace(store: ObjectStore, { collection, namespace }: ApiCall, name: string): void {
  if (namespace === undefined || store.find(NAMESPACE_COLLECTION, namespace)?.metadata.deletionTimestamp === undefined)
    return;
  const problem = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
  throw new StatusError(403, `${formatResource(collection)} "${name}" is forbidden: ${problem}`, {
    details: { causes },
  });
}

/**
 * Completes and validates an object. Throws a StatusError if the object is not valid.
 * @param currentObject The stored object before an update, absent for a create.
 */
export function prepareObject<T extends ObjectInput & JsonObject>(
  { customKinds }: ServerState,
  call: ApiCall,
  input: T,
  currentObject?: StoredObject,
): T {
  const customKind = customKinds.get(call.collection);
  const rejectUnknown = (paths: readonly string[]) => {
    const list = paths.map((path) => `unknown field "${path}"`).join(', ');
    if (call.query.get('fieldValidation') === 'Strict') throw new StatusError(400, `strict decoding error: ${list}`);
  };
  const object = customKind?.decode(input, rejectUnknown) ?? prepareBuiltInObject(call.collection, input);
  const prepared = { ...object, metadata: dropEmptyFields(object['metadata']) } as T; // like `input`
  const { metadata } = prepared;
  const errors = customKind?.validate(prepared, currentObject) ?? validateObjectMeta(metadata, currentObject?.metadata);
  if (errors.length === 0) return prepared;
  throw createInvalidError({ group: getGroup(call.apiVersion), kind: String(prepared['kind']) }, metadata.name, errors);
}

/** Removes empty lists and maps, because Go omits empty fields of the metadata. */
function dropEmptyFields(metadata: unknown): JsonObject {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => !isEmpty(value)));
}

const SECRET_COLLECTION = '/api/v1/secrets';

/** Moves the texts of `stringData` to `data`. */
function prepareBuiltInObject(collection: CollectionPath, object: ObjectInput & JsonObject): JsonObject {
  const { stringData, ...rest } = object;
  if (collection !== SECRET_COLLECTION || !isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...rest, data: { ...(isRecord(rest['data']) && rest['data']), ...Object.fromEntries(encoded) } };
}
