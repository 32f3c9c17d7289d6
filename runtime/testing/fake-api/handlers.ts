/** Handlers for all verbs except for watch. */
import { randomBytes } from 'node:crypto';
import type { JsonPatchOperation } from '../../client/patch.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { formatKey } from '../../kubernetes/resource.ts';
import type { ApiCall } from './api-request.ts';
import type {
  CollectionPath,
  JsonObject,
  ObjectInput,
  ObjectStore,
  Preconditions,
  StoredObject,
} from './object-store.ts';
import { dropUnapplied, jsonPatch, mergePatch } from './patches.ts';
import { parseSelection } from './selection.ts';
import { StatusError } from './status-error.ts';

/** State of the server in addition to the stored objects. */
export interface ServerState {
  /** The kind of each collection, learned from stored objects. */
  readonly kinds: Map<CollectionPath, string>;
  /** The last applied configuration of each object and field manager. */
  readonly applied: Map<string, JsonObject>;
}

/** HTTP status and body of a response. */
export interface HandlerResult {
  readonly code: number;
  readonly value: unknown;
}

export function handle(store: ObjectStore, state: ServerState, call: ApiCall, body: string): HandlerResult {
  const { collection, query } = call;
  const dryRun = query.has('dryRun');
  switch (call.verb) {
    case 'get':
      return { code: 200, value: store.get(collection, getKey(call)) };
    case 'list':
      return { code: 200, value: list(store, state, call) };
    case 'create':
      return { code: 201, value: create(store, state, call, readObject(withGeneratedName(parse(body))), dryRun) };
    case 'update':
      return {
        code: 200,
        value: store.update(collection, getKey(call), readObject(parse(body)), { scope: parseScope(call), dryRun }),
      };
    case 'patch':
      return patch(store, state, call, parse(body), dryRun);
    case 'delete': {
      const options = body === '' ? {} : (parse(body) as { preconditions?: Preconditions });
      const object = store.delete(collection, getKey(call), options.preconditions, dryRun);
      return { code: 200, value: object.metadata.finalizers?.length ? object : deletedStatus(call, object) };
    }
    case 'watch':
      throw new StatusError(500, 'watches are not answered in one piece');
  }
}

function create(
  store: ObjectStore,
  state: ServerState,
  call: ApiCall,
  { status: _, ...input }: ObjectInput & JsonObject,
  dryRun: boolean,
): StoredObject {
  const { collection, namespace = input.metadata.namespace } = call;
  state.kinds.set(collection, String(input['kind']));
  const created = { ...input, metadata: { ...input.metadata, ...(namespace !== undefined && { namespace }) } };
  return store.create(collection, getKey(call, input.metadata.name), created, dryRun);
}

/** Returns the body of the response to a delete. */
function deletedStatus({ collection }: ApiCall, { metadata: { name, uid } }: StoredObject): JsonObject {
  const details = { name, kind: collection.slice(collection.lastIndexOf('/') + 1), uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function getKey({ namespace, name }: ApiCall, bodyName?: string): string {
  return formatKey({ ...(namespace !== undefined && { namespace }), name: name ?? bodyName ?? '' });
}

function parseScope({ subresource }: ApiCall): 'main' | 'status' {
  if (subresource === undefined) return 'main';
  if (subresource === 'status') return 'status';
  throw new StatusError(404, 'the server could not find the requested resource');
}

function list(
  store: ObjectStore,
  state: ServerState,
  { collection, namespace, apiVersion, query }: ApiCall,
): JsonObject {
  // Like a real API server, a list with resourceVersion 0 ignores the limit, because it comes from the watch cache.
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  const page = store.page(collection, namespace, limit, query.get('continue') ?? undefined);
  const items = page.items.filter(parseSelection(query));
  return {
    kind: `${state.kinds.get(collection) ?? 'Unknown'}List`,
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

function patch(store: ObjectStore, state: ServerState, call: ApiCall, change: unknown, dryRun: boolean): HandlerResult {
  const contentType = call.headers['content-type'] ?? '';
  const isApply = contentType === 'application/apply-patch+yaml';
  const before = isApply ? state.applied.get(appliedKey(call)) : undefined;
  if (isApply && !dryRun) state.applied.set(appliedKey(call), readObject(change));
  if (isApply && store.find(call.collection, getKey(call)) === undefined) {
    return { code: 201, value: create(store, state, call, readObject(change), dryRun) };
  }
  const current = store.get(call.collection, getKey(call));
  const patched = readObject(applyPatch(contentType, current, change, before));
  return {
    code: 200,
    value: store.update(call.collection, getKey(call), patched, { scope: parseScope(call), dryRun }),
  };
}

function applyPatch(contentType: string, current: StoredObject, change: unknown, before: unknown): unknown {
  switch (contentType) {
    case 'application/merge-patch+json':
      return mergePatch(current, change);
    case 'application/json-patch+json':
      return jsonPatch(current, change as readonly JsonPatchOperation[]);
    case 'application/apply-patch+yaml': // LiveClient sends JSON, which is valid YAML
      return mergePatch(dropUnapplied(current, before, change), change);
    default:
      throw new StatusError(415, `the body of the request was in an unknown format: ${contentType}`);
  }
}

function appliedKey(call: ApiCall): string {
  return [call.path, call.query.get('fieldManager')].join(' ');
}

function readObject(value: unknown): ObjectInput & JsonObject {
  const name = isRecord(value) && isRecord(value['metadata']) ? value['metadata']['name'] : undefined;
  if (typeof name !== 'string' || name === '') throw new StatusError(422, 'metadata.name: Required value');
  return value as ObjectInput & JsonObject; // the name is the only required field
}

/** Sets the name to `metadata.generateName` and five random characters, like a real API server. */
function withGeneratedName(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['metadata'])) return value;
  const { generateName, name } = value['metadata'];
  if (name !== undefined || generateName === undefined) return value;
  const ending = randomBytes(4).toString('hex').slice(0, 5);
  return { ...value, metadata: { ...value['metadata'], name: `${generateName}${ending}` } };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new StatusError(400, 'the object provided is unrecognized: not JSON');
  }
}
