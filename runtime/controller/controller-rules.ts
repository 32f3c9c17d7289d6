/** RBAC rules that follow from the declarations of a controller. */
import type { PolicyVerb, ResourceRule } from '../kubernetes/policy-rule.ts';
import type { Resource } from '../kubernetes/resource.ts';

/**
 * Returns the rule for a watched kind. The cache lists and watches the objects. The client gets an object from the API
 * server after a failed write.
 * @param verbs Verbs of other requests.
 */
export function createWatchRule(resource: Resource, verbs: readonly PolicyVerb[] = []): ResourceRule {
  const { group, plural } = resource;
  return { group, resources: [plural], verbs: ['get', 'list', 'watch', ...verbs] };
}

/** Returns the rule for the status of a reconciled kind. A kind without a rule is a built-in kind, or its schema has no status. */
export function createStatusRules(resource: Resource): readonly ResourceRule[] {
  const { schema } = resource as { readonly schema?: { readonly status?: unknown } }; // a kind of defineKind has a schema
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
