/** The RBAC rules that a controller needs for its watched kinds. */
import type { PolicyVerb, ResourceRule } from '../kubernetes/policy-rule.ts';
import type { Resource } from '../kubernetes/resource.ts';

/**
 * Returns the RBAC rule for a watched kind. The cache lists and watches the objects. After a failed write, the client
 * reads the object from the API server, which requires the verb get.
 * @param verbs Additional verbs.
 */
export function createWatchRule(resource: Resource, verbs: readonly PolicyVerb[] = []): ResourceRule {
  const { group, plural } = resource;
  return { group, resources: [plural], verbs: ['get', 'list', 'watch', ...verbs] };
}

/**
 * Returns the rule for the status of a reconciled kind. Returns no rule for a built-in kind or a schema without a
 * status.
 */
export function createStatusRules(resource: Resource): readonly ResourceRule[] {
  const { schema } = resource as { readonly schema?: { readonly status?: unknown } }; // only `defineKind` adds a schema
  const hasStatus = resource.isCustomResource === true && (schema === undefined || schema.status !== undefined);
  return hasStatus ? [{ group: resource.group, resources: [`${resource.plural}/status`], verbs: ['update'] }] : [];
}

/**
 * Returns the rule for the owner of other objects. Owner references have `blockOwnerDeletion`, which the admission
 * plugin OwnerReferencesPermissionEnforcement allows only with this rule.
 */
export function createOwnerRule({ group, plural }: Resource): ResourceRule {
  return { group, resources: [`${plural}/finalizers`], verbs: ['update'] };
}
