import { core } from '../kubernetes/core.ts';
import type { ResourceRule } from '../kubernetes/policy-rule.ts';
import { getConfigurationResource, type WebhookObjectRef } from './ca-bundle.ts';

/** Returns RBAC rules for a Role in the namespace of the Secret. RBAC cannot limit the verb `create` to a name. */
export function certificateSecretRules(name: string): readonly ResourceRule[] {
  const { group, plural } = core.v1.secrets;
  return [
    { group, resources: [plural], verbs: ['create'] },
    { group, resources: [plural], resourceNames: [name], verbs: ['get', 'list', 'watch', 'update'] },
  ];
}

/** Returns RBAC rules for a ClusterRole, because webhook configurations and CRDs are cluster-scoped. */
export function caBundleRules(configurations: readonly WebhookObjectRef[]): readonly ResourceRule[] {
  return configurations.map((ref) => {
    const { group, plural } = getConfigurationResource(ref);
    return { group, resources: [plural], resourceNames: [ref.name], verbs: ['get', 'list', 'watch', 'patch'] };
  });
}
