/** The verbs that are answered in one piece. */
import { keyOf } from '../../kubernetes/resource.ts';
import type { ApiCall } from './api-request.ts';
import type { Collection, JsonObject, ObjectInput, ObjectStore, Preconditions, StoredObject } from './object-store.ts';
import { Refusal } from './refusal.ts';

export interface Learned {
  /** Kinds by collection, as seen in what was stored. */
  readonly kinds: Map<Collection, string>;
}

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
    case 'create': {
      const { status: _, ...input } = readObject(body);
      learned.kinds.set(collection, String(input['kind']));
      const { namespace = input.metadata.namespace } = call;
      const created = { ...input, metadata: { ...input.metadata, ...(namespace !== undefined && { namespace }) } };
      return { code: 201, value: store.create(collection, keyIn(call, input.metadata.name), created, dryRun) };
    }
    case 'update':
      return {
        code: 200,
        value: store.update(collection, keyIn(call), readObject(body), { scope: scopeOf(call), dryRun }),
      };
    case 'patch':
      return { code: 200, value: patch(store, call, body, dryRun) };
    case 'delete': {
      const options = body === '' ? {} : (parse(body) as { preconditions?: Preconditions });
      return { code: 200, value: store.delete(collection, keyIn(call), options.preconditions, dryRun) };
    }
    case 'watch':
      throw new Refusal(500, 'watches are not answered in one piece');
  }
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
  if (query.has('fieldSelector')) throw new Refusal(400, 'field selectors are not served here');
  // As with a real server, a list "at any version" comes whole from the watch cache, whatever the limit.
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  const page = store.page(collection, namespace, limit, query.get('continue') ?? undefined);
  const selector = query.get('labelSelector');
  const items = page.items.filter(({ metadata }) => selector === null || selects(selector, metadata.labels ?? {}));
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

/** Items of built-in kinds come without kind and apiVersion, those of custom resources with them. */
function listed(item: StoredObject): JsonObject {
  const group = item.apiVersion.includes('/') ? item.apiVersion.split('/')[0] : '';
  if (group?.includes('.') && !group.endsWith('.k8s.io')) return item;
  const { kind: _, apiVersion: __, ...rest } = item;
  return rest;
}

function selects(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return selector.split(',').every((term) => {
    const parts = /^([^=!]+?)(==|=|!=)(.*)$/.exec(term);
    if (!parts) return term.startsWith('!') ? !(term.slice(1) in labels) : term in labels;
    const [, label = '', operator, value] = parts;
    return (labels[label] === value) === (operator !== '!=');
  });
}

function patch(store: ObjectStore, call: ApiCall, body: string, dryRun: boolean): StoredObject {
  const contentType = call.headers['content-type'];
  if (contentType !== 'application/merge-patch+json') {
    throw new Refusal(415, `the body of the request was in an unknown format: ${contentType}`);
  }
  const { resourceVersion: _, ...metadata } = store.get(call.collection, keyIn(call)).metadata;
  const current = { ...store.get(call.collection, keyIn(call)), metadata };
  const merged = mergePatch(current, parse(body)) as ObjectInput & JsonObject; // an object patched with an object
  return store.update(call.collection, keyIn(call), merged, { scope: scopeOf(call), dryRun });
}

/** RFC 7396. */
function mergePatch(target: unknown, change: unknown): unknown {
  if (!isObject(change)) return change;
  const result: Record<string, unknown> = { ...(isObject(target) ? target : {}) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readObject(body: string): ObjectInput & JsonObject {
  const value = parse(body);
  const name = isObject(value) && isObject(value['metadata']) ? value['metadata']['name'] : undefined;
  if (typeof name !== 'string' || name === '') throw new Refusal(422, 'metadata.name: Required value');
  return value as ObjectInput & JsonObject; // has a name, which is all we need to know
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'the object provided is unrecognized: not JSON');
  }
}
