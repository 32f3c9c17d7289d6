/** Parses a request to the API server from its method and URL. */
import type { IncomingMessage } from 'node:http';
import { formatApiVersion, type Resource } from '../../kubernetes/resource.ts';
import type { CollectionPath } from './object-types.ts';
import { StatusError } from './status-error.ts';

/** The verb of a request, with the same name as in RBAC rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** A request to the API server. */
export interface ApiCall {
  /** Verb, as in RBAC rules. */
  readonly verb: Verb;
  /** Path without the query. */
  readonly path: string;
  /** Query parameters. */
  readonly query: URLSearchParams;
  /** Headers, with names in lower case. */
  readonly headers: IncomingMessage['headers'];
  /** Path of the collection that contains the object. */
  readonly collection: CollectionPath;
  /** Plural name of the resource, such as `deployments`. */
  readonly plural: string;
  /** API version, such as `apps/v1`. */
  readonly apiVersion: string;
  /** Namespace, or `undefined` for a cluster-scoped kind or a list of all namespaces. */
  readonly namespace: string | undefined;
  /** Name of the object, or `undefined` for a request that lists, watches or creates objects. */
  readonly name: string | undefined;
  /** Subresource such as `status`, or `undefined` for the main resource. */
  readonly subresource: string | undefined;
}

/** Selects requests. A request must match all fields that are set. */
export interface CallMatch {
  /** Verb, as in RBAC rules. */
  readonly verb?: Verb;
  /** Resource, such as the result of `defineKind`. */
  readonly resource?: Pick<Resource, 'group' | 'version' | 'plural'>;
  /** Plural name of the resource, such as `deployments`. */
  readonly plural?: string;
  /** Namespace of the request. */
  readonly namespace?: string;
  /** Name of the object. Requests to list, watch or create objects have no name. */
  readonly name?: string;
  /** A subresource such as `status`. */
  readonly subresource?: string;
  /** Path without the query. */
  readonly path?: string;
  /** For lists, `true` matches the second page and all later pages, and `false` matches the first page. */
  readonly continued?: boolean;
  /** For watches, whether the client requests initial events. */
  readonly initialEvents?: boolean;
}

export function matchesCall(match: CallMatch, call: ApiCall): boolean {
  const { continued, initialEvents, resource, ...fields } = match;
  const areFieldsEqual = (Object.keys(fields) as (keyof typeof fields)[]).every(
    (field) => match[field] === call[field],
  );
  return (
    areFieldsEqual &&
    (resource === undefined || (resource.plural === call.plural && formatApiVersion(resource) === call.apiVersion)) &&
    (continued === undefined || continued === call.query.has('continue')) &&
    (initialEvents === undefined || initialEvents === (call.query.get('sendInitialEvents') === 'true'))
  );
}

/**
 * Throws a StatusError with 404 if the path is not the path of a resource, and with 405 for an unsupported HTTP method.
 */
export function parseCall(message: IncomingMessage): ApiCall {
  const url = new URL(message.url ?? '/', 'http://server');
  const root = /^\/(?:api\/(?<core>[^/]+)|apis\/(?<group>[^/]+\/[^/]+))(?<rest>\/.+)$/.exec(url.pathname);
  if (!root?.groups) throw new StatusError(404, 'the server could not find the requested resource');
  const { core, group, rest = '' } = root.groups;
  const segments = rest.slice(1).split('/').map(decodeURIComponent);
  const isNamespaced = segments[0] === 'namespaces' && segments.length > 2;
  const namespace = isNamespaced ? segments[1] : undefined;
  const [plural = '', name, subresource] = isNamespaced ? segments.slice(2) : segments;
  return {
    verb: parseVerb(message.method ?? 'GET', url.searchParams, name, subresource),
    path: url.pathname,
    query: url.searchParams,
    headers: message.headers,
    collection: `${url.pathname.slice(0, url.pathname.length - rest.length)}/${plural}`,
    plural,
    apiVersion: core ?? group ?? '',
    namespace,
    name,
    subresource,
  };
}

function parseVerb(method: string, query: URLSearchParams, name?: string, subresource?: string): Verb {
  if (method === 'GET') {
    if (name !== undefined) return 'get';
    return query.get('watch') === 'true' || query.get('watch') === '1' ? 'watch' : 'list';
  }
  const verb = WRITE_VERBS[method];
  const isOfCollection = name === undefined;
  const isAllowed =
    verb === 'create' ? isOfCollection || subresource !== undefined : !isOfCollection || verb === 'delete';
  if (verb === undefined || !isAllowed) {
    throw new StatusError(405, `the server does not allow ${method} on this resource`);
  }
  return verb;
}

const WRITE_VERBS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
