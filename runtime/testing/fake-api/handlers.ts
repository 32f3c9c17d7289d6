/** Handlers for all verbs except for watch. */
import { randomBytes } from 'node:crypto';
import type { JsonPatchOperation } from '../../client/patch.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { formatKey } from '../../kubernetes/resource.ts';
import type { ApiCall } from './api-request.ts';
import { collectGarbage, type DeletionOptions, deleteObject } from './garbage-collector.ts';
import type { ObjectStore } from './object-store.ts';
import type { JsonObject, ObjectInput, StoredObject } from './object-types.ts';
import { applyJsonPatch, applyMergePatch, removeUnappliedFields } from './patches.ts';
import { checkName, checkNamespace, checkResourceVersion, prepareObject } from './prepare-object.ts';
import { parseObjectFilter } from './selection.ts';
import type { ServerState } from './server-state.ts';
import { StatusError } from './status-error.ts';
import { applyScale, deleteCollection, evict, issueToken, toScale } from './subresources.ts';
import type { UpdateScope } from './update.ts';

export interface HandlerResult {
  readonly code: number;
  readonly value: unknown;
}

export function handleCall(store: ObjectStore, state: ServerState, call: ApiCall, body: string): HandlerResult {
  const { collection, query } = call;
  const dryRun = query.has('dryRun');
  switch (call.verb) {
    case 'get': {
      const object = store.get(collection, getKey(call));
      if (isScaleCall(state, call)) return { code: 200, value: toScale(object) };
      parseScope(state, call); // throws for a subresource that does not exist
      return { code: 200, value: object };
    }
    case 'list':
      return { code: 200, value: listObjects(store, state, call) };
    case 'create':
      if (call.subresource !== undefined) return createSubresource(store, call, parseBody(body), dryRun);
      return {
        code: 201,
        value: createObject(store, state, call, readObject(withGeneratedName(parseBody(body))), dryRun),
      };
    case 'update':
      if (isScaleCall(state, call)) return updateScale(store, state, call, parseBody(body), dryRun);
      return { code: 200, value: updateObject(store, state, call, parseBody(body), dryRun) };
    case 'patch':
      return patchObject(store, state, call, parseBody(body), dryRun);
    case 'delete':
      return handleDeletion(store, call, body === '' ? {} : (parseBody(body) as DeletionOptions), dryRun);
    case 'watch':
      throw new StatusError(500, 'watches are not answered in one piece');
  }
}

function createObject(
  store: ObjectStore,
  state: ServerState,
  call: ApiCall,
  input: ObjectInput & JsonObject,
  dryRun: boolean,
): StoredObject {
  const { collection, namespace } = call;
  checkName(state, call, input);
  checkNamespace(store, call, input.metadata.name);
  state.kinds.set(collection, String(input['kind']));
  const { status, ...rest } = input;
  const { deletionTimestamp: _, ...metadata } = { ...input.metadata, ...(namespace !== undefined && { namespace }) };
  const created = { ...rest, ...(status !== undefined && !hasStatusSubresource(state, call) && { status }), metadata };
  return store.create(collection, getKey(call, input.metadata.name), prepareObject(state, call, created), dryRun);
}

function updateObject(
  store: ObjectStore,
  state: ServerState,
  call: ApiCall,
  body: unknown,
  dryRun: boolean,
): StoredObject {
  const input = readObject(body);
  const { collection } = call;
  const prepare = (next: StoredObject, current: StoredObject) => prepareObject(state, call, next, current);
  checkName(state, call, input);
  checkResourceVersion(state, call, input);
  const updated = store.update(collection, getKey(call), input, { scope: parseScope(state, call), dryRun, prepare });
  if (!dryRun && store.findByUid(updated.metadata.uid) === undefined) collectGarbage(store, updated);
  return updated;
}

function handleDeletion(store: ObjectStore, call: ApiCall, options: DeletionOptions, dryRun: boolean): HandlerResult {
  if (call.name === undefined) {
    const items = deleteCollection(store, call, { ...options, dryRun });
    return { code: 200, value: { kind: 'List', apiVersion: 'v1', metadata: {}, items } };
  }
  const object = deleteObject(store, { collection: call.collection, key: getKey(call) }, { ...options, dryRun });
  const isPending = object.metadata.deletionTimestamp !== undefined;
  return { code: 200, value: isPending ? object : createDeletedStatus(call, object) };
}

function updateScale(
  store: ObjectStore,
  state: ServerState,
  call: ApiCall,
  scale: unknown,
  dryRun: boolean,
): HandlerResult {
  const object = applyScale(store.get(call.collection, getKey(call)), scale);
  const updated = updateObject(store, state, { ...call, subresource: undefined }, object, dryRun);
  return { code: 200, value: toScale(updated) };
}

function createSubresource(store: ObjectStore, call: ApiCall, body: unknown, dryRun: boolean): HandlerResult {
  const key = getKey(call);
  if (call.subresource === 'eviction') return { code: 201, value: evict(store, call, key, body, dryRun) };
  if (call.subresource === 'token') return { code: 201, value: issueToken(store.get(call.collection, key), body) };
  throw new StatusError(404, 'the server could not find the requested resource');
}

/** Returns the body of the response to a delete. */
function createDeletedStatus({ collection }: ApiCall, { metadata: { name, uid } }: StoredObject): JsonObject {
  const details = { name, kind: collection.slice(collection.lastIndexOf('/') + 1), uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function isScaleCall({ customKinds }: ServerState, { collection, subresource }: ApiCall): boolean {
  return subresource === 'scale' && (customKinds.get(collection)?.hasScale ?? true);
}

/** Returns whether the status is a subresource. */
function hasStatusSubresource({ customKinds }: ServerState, { collection }: ApiCall): boolean {
  return customKinds.get(collection)?.hasStatusSubresource ?? true;
}

function getKey({ namespace, name }: ApiCall, nameInBody?: string): string {
  return formatKey({ ...(namespace !== undefined && { namespace }), name: name ?? nameInBody ?? '' });
}

function parseScope(state: ServerState, call: ApiCall): UpdateScope {
  if (call.subresource === undefined) return hasStatusSubresource(state, call) ? 'main' : 'all';
  if (call.subresource === 'status' && hasStatusSubresource(state, call)) return 'status';
  throw new StatusError(404, 'the server could not find the requested resource');
}

function listObjects(
  store: ObjectStore,
  state: ServerState,
  { collection, namespace, apiVersion, query }: ApiCall,
): JsonObject {
  // As on a real API server, a list with resourceVersion 0 ignores the limit, because the response comes from the watch cache.
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  const page = store.page(collection, namespace, limit, query.get('continue') ?? undefined);
  const items = page.items.filter(parseObjectFilter(query));
  return {
    kind: `${state.customKinds.get(collection)?.kind ?? state.kinds.get(collection) ?? 'Unknown'}List`,
    apiVersion,
    metadata: {
      resourceVersion: String(page.version),
      ...(page.continue !== undefined && { continue: page.continue, remainingItemCount: page.remaining }),
    },
    items: items.map((item) => toListItem(item)),
  };
}

/** Removes `kind` and `apiVersion` from items of built-in kinds, like a real API server. */
function toListItem(item: StoredObject): JsonObject {
  const group = item.apiVersion.includes('/') ? item.apiVersion.split('/')[0] : '';
  if (group?.includes('.') && !group.endsWith('.k8s.io')) return item;
  const { kind: _, apiVersion: __, ...rest } = item;
  return rest;
}

function patchObject(
  store: ObjectStore,
  state: ServerState,
  call: ApiCall,
  patch: unknown,
  dryRun: boolean,
): HandlerResult {
  const contentType = call.headers['content-type'] ?? '';
  if (contentType === 'application/apply-patch+yaml')
    return applyConfiguration(store, state, call, readObject(patch), dryRun);
  const current = store.get(call.collection, getKey(call));
  return { code: 200, value: updateObject(store, state, call, applyPatch(contentType, current, patch), dryRun) };
}

/** Handles server-side apply. LiveClient sends JSON, which is valid YAML. */
function applyConfiguration(
  store: ObjectStore,
  state: ServerState,
  call: ApiCall,
  configuration: ObjectInput & JsonObject,
  dryRun: boolean,
): HandlerResult {
  const appliedKey = [call.path, call.query.get('fieldManager')].join(' ');
  const lastApplied = state.applied.get(appliedKey);
  const customKind = state.customKinds.get(call.collection);
  customKind?.decode(configuration, ([path]) => {
    const message = `failed to create typed patch object: .${path}: field not declared in schema`;
    throw new StatusError(500, message, { reason: '' });
  });
  const current = store.find(call.collection, getKey(call));
  const isNew = current === undefined;
  const kept = customKind?.withoutAtomicValues(current, configuration) ?? current;
  const value = isNew
    ? createObject(store, state, call, configuration, dryRun)
    : updateObject(
        store,
        state,
        call,
        applyMergePatch(removeUnappliedFields(kept, lastApplied, configuration), configuration),
        dryRun,
      );
  if (!dryRun) state.applied.set(appliedKey, configuration);
  return { code: isNew ? 201 : 200, value };
}

function applyPatch(contentType: string, currentObject: StoredObject, patch: unknown): unknown {
  switch (contentType) {
    case 'application/merge-patch+json':
      return applyMergePatch(currentObject, patch);
    case 'application/json-patch+json':
      return applyJsonPatch(currentObject, patch as readonly JsonPatchOperation[]);
    default:
      throw new StatusError(415, `the body of the request was in an unknown format: ${contentType}`);
  }
}

function readObject(value: unknown): ObjectInput & JsonObject {
  if (!isRecord(value)) throw new StatusError(400, 'the object provided is unrecognized: not an object');
  const metadata = isRecord(value['metadata']) ? value['metadata'] : {};
  const { name = '' } = metadata; // prepareObject rejects an object without a name
  return { ...value, metadata: { ...metadata, name } } as ObjectInput & JsonObject; // the name is the only required field
}

/** Sets the name to `metadata.generateName` and five random characters, like a real API server. */
function withGeneratedName(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['metadata'])) return value;
  const { generateName, name } = value['metadata'];
  if (name !== undefined || generateName === undefined) return value;
  const ending = Array.from(
    randomBytes(5),
    (byte) => GENERATED_NAME_CHARACTERS[byte % GENERATED_NAME_CHARACTERS.length],
  ).join('');
  return { ...value, metadata: { ...value['metadata'], name: `${generateName}${ending}` } };
}

const GENERATED_NAME_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new StatusError(400, 'the object provided is unrecognized: not JSON');
  }
}
