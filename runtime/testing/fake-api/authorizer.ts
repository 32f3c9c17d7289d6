import type { PolicyRule } from '../../kubernetes/policy-rule.ts';
import { formatKey, getGroup } from '../../kubernetes/resource.ts';
import type { UserRoles } from '../cluster.ts';
import type { ApiCall } from './api-request.ts';
import { StatusError } from './status-error.ts';

/** The attributes of a request that RBAC rules match. */
interface RequestAttributes {
  readonly verb: string;
  readonly group: string;
  /** Plural name of the resource, such as `pods`, or with a subresource, such as `pods/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Enforces the roles of users. A user without roles has all permissions. */
export class Authorizer {
  readonly #rolesByUser = new Map<string, UserRoles>();

  /** Adds a user, or replaces the roles of an existing user. Returns the name of the user. */
  addUser(roles: UserRoles): string {
    const user = `system:serviceaccount:${roles.namespace}:${roles.name}`;
    this.#rolesByUser.set(user, roles);
    return user;
  }

  /**
   * Throws a StatusError with 403 if the roles of the user do not allow the request.
   * @param hasObject Returns whether the collection of the request contains an object with the key.
   */
  authorize(call: ApiCall, hasObject: (key: string) => boolean): void {
    const user = String(call.headers['impersonate-user']);
    const roles = this.#rolesByUser.get(user);
    if (roles === undefined) return;
    const attributes = getAttributes(call);
    if (!isAllowed(roles, attributes)) throw createForbiddenError(call, attributes, user);
    // Server-side apply that creates an object also needs the verb `create`.
    const { name = '', namespace } = call;
    const isApply = call.headers['content-type'] === 'application/apply-patch+yaml';
    if (!isApply || hasObject(formatKey({ ...(namespace !== undefined && { namespace }), name }))) return;
    const creation = { ...attributes, verb: 'create' };
    if (!isAllowed(roles, creation)) throw createForbiddenError(call, creation, user);
  }
}

function getAttributes({ verb, apiVersion, plural, subresource, namespace, name, query }: ApiCall): RequestAttributes {
  return {
    verb: verb === 'delete' && name === undefined ? 'deletecollection' : verb,
    group: getGroup(apiVersion),
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace,
    name: name ?? /^metadata\.name==?([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1],
  };
}

function isAllowed({ clusterRules, namespaceRules, namespace }: UserRoles, attributes: RequestAttributes): boolean {
  const rules = attributes.namespace === namespace ? [...clusterRules, ...namespaceRules] : clusterRules;
  return rules.some((rule) => allowsRequest(rule, attributes));
}

function allowsRequest(rule: PolicyRule, { verb, group, resource, name }: RequestAttributes): boolean {
  if ('nonResourceURLs' in rule) return false;
  const { resources, resourceNames = [] } = rule;
  const [, subresource] = resource.split('/');
  return (
    [verb, '*'].some((each) => rule.verbs.includes(each)) &&
    [group, '*'].includes(rule.group) &&
    [resource, '*', `*/${subresource}`].some((each) => resources.includes(each)) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

/** Returns an error with the same message as from a real API server. */
function createForbiddenError({ plural }: ApiCall, attributes: RequestAttributes, user: string): StatusError {
  const { verb, group, resource, namespace, name } = attributes;
  const object = `${plural}${group && `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
  const location = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const action = `cannot ${verb} resource "${resource}" in API group "${group}" ${location}`;
  return new StatusError(403, `${object} is forbidden: User "${user}" ${action}`);
}
