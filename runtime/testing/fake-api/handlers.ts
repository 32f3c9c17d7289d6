/** The verbs with a single answer. */
import { randomBytes } from 'node:crypto';
import type { JsonPatchOperation } from '../../client/patch.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import { keyOf } from '../../kubernetes/resource.ts';
import type { ApiCall } from './api-request.ts';
import type { Collection, JsonObject, ObjectInput, ObjectStore, Preconditions, StoredObject } from './object-store.ts';
import { givenUp, jsonPatch, mergePatch } from './patches.ts';
import { Refusal } from './refusal.ts';
import { selectionOf } from './selection.ts';

/** What the server has learned from clients. */
export interface Learned {
  /** Kinds by collection, from stored objects. */
  readonly kinds: Map<Collection, string>;
  /** What each field manager applied last to each object. */
  readonly applied: Map<string, JsonObject>;
}

/** The answer to a request: the object or the list. */
export interface Answer {
  readonly code: number;
  readonly value: unknown;
}

export function handle(store: ObjectStore, learned: Learned, call: ApiCall, body: string): Answer {
  const { collection, query } = call;
  const dryRun = query.has('dryRun');
  switch (call.verb) {
    case 'get':
      return { code: 200, value: store.get(collection, keyIn(call)) };
    case 'list':
      return { code: 200, value: list(store, learned, call) };
    case 'create':
      return { code: 201, value: create(store, learned, call, readObject(withGeneratedName(parse(body))), dryRun) };
    case 'update':
      return {
        code: 200,
        value: store.update(collection, keyIn(call), readObject(parse(body)), { scope: scopeOf(call), dryRun }),
      };
    case 'patch':
      return patch(store, learned, call, parse(body), dryRun);
    case 'delete': {
      const options = body === '' ? {} : (parse(body) as { preconditions?: Preconditions });
      const object = store.delete(collection, keyIn(call), options.preconditions, dryRun);
      return { code: 200, value: object.metadata.finalizers?.length ? object : deletedStatus(call, object) };
    }
    case 'watch':
      throw new Refusal(500, 'watches are not answered in one piece');
  }
}

function create(
  store: ObjectStore,
  learned: Learned,
  call: ApiCall,
  { status: _, ...input }: ObjectInput & JsonObject,
  dryRun: boolean,
): StoredObject {
  const { collection, namespace = input.metadata.namespace } = call;
  learned.kinds.set(collection, String(input['kind']));
  const created = { ...input, metadata: { ...input.metadata, ...(namespace !== undefined && { namespace }) } };
  return store.create(collection, keyIn(call, input.metadata.name), created, dryRun);
}

/** The answer to a completed deletion. */
function deletedStatus({ collection }: ApiCall, { metadata: { name, uid } }: StoredObject): JsonObject {
  const details = { name, kind: collection.slice(collection.lastIndexOf('/') + 1), uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function keyIn({ namespace, name }: ApiCall, bodyName?: string): string {
  return keyOf({ ...(namespace !== undefined && { namespace }), name: name ?? bodyName ?? '' });
}

function scopeOf({ subresource }: ApiCall): 'main' | 'status' {
  if (subresource === undefined) return 'main';
  if (subresource === 'status') return 'status';
  throw new Refusal(404, 'the server could not find the requested resource');
}

function list(store: ObjectStore, learned: Learned, { collection, namespace, apiVersion, query }: ApiCall): JsonObject {
  // As on a real server, a list "at any version" comes whole from the watch cache, whatever the limit.
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  const page = store.page(collection, namespace, limit, query.get('continue') ?? undefined);
  const items = page.items.filter(selectionOf(query));
  return {
    kind: `${learned.kinds.get(collection) ?? 'Unknown'}List`,
    apiVersion,
    metadata: {
      resourceVersion: String(page.version),
      ...(page.continue !== undefined && { continue: page.continue, remainingItemCount: page.remaining }),
    },
    items: items.map((item) => listed(item)),
  };
}

/** Items of built-in kinds have no kind and apiVersion, items of custom resources do. */
function listed(item: StoredObject): JsonObject {
  const group = item.apiVersion.includes('/') ? item.apiVersion.split('/')[0] : '';
  if (group?.includes('.') && !group.endsWith('.k8s.io')) return item;
  const { kind: _, apiVersion: __, ...rest } = item;
  return rest;
}

/** `code` is 201 when server-side apply has created the object. */
function patch(store: ObjectStore, learned: Learned, call: ApiCall, change: unknown, dryRun: boolean): Answer {
  const contentType = call.headers['content-type'] ?? '';
  const isApply = contentType === 'application/apply-patch+yaml';
  const before = isApply ? learned.applied.get(managedBy(call)) : undefined;
  if (isApply && !dryRun) learned.applied.set(managedBy(call), readObject(change));
  if (isApply && store.find(call.collection, keyIn(call)) === undefined) {
    return { code: 201, value: create(store, learned, call, readObject(change), dryRun) };
  }
  const current = store.get(call.collection, keyIn(call));
  const patched = readObject(patchedBy(contentType, current, change, before));
  return { code: 200, value: store.update(call.collection, keyIn(call), patched, { scope: scopeOf(call), dryRun }) };
}

function patchedBy(contentType: string, current: StoredObject, change: unknown, before: unknown): unknown {
  switch (contentType) {
    case 'application/merge-patch+json':
      return mergePatch(current, change);
    case 'application/json-patch+json':
      return jsonPatch(current, change as readonly JsonPatchOperation[]); // jsonPatch rejects invalid operations
    case 'application/apply-patch+yaml': // our client sends JSON, which is YAML
      return mergePatch(givenUp(current, before, change), change);
    default:
      throw new Refusal(415, `the body of the request was in an unknown format: ${contentType}`);
  }
}

function managedBy(call: ApiCall): string {
  return [call.path, call.query.get('fieldManager')].join(' ');
}

function readObject(value: unknown): ObjectInput & JsonObject {
  const name = isRecord(value) && isRecord(value['metadata']) ? value['metadata']['name'] : undefined;
  if (typeof name !== 'string' || name === '') throw new Refusal(422, 'metadata.name: Required value');
  return value as ObjectInput & JsonObject; // it has a name, which is enough here
}

/** `metadata.generateName` plus five characters, as on a real server. */
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
    throw new Refusal(400, 'the object provided is unrecognized: not JSON');
  }
}
