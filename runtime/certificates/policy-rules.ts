/** What a manager that keeps its own webhook certificates must be allowed to do, besides its work. */

import { core } from '../kubernetes/core.ts';
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import { type ConfigurationRef, resourceOf } from './ca-bundle.ts';

/** For a Role in the namespace of the Secret `name`. A create cannot be limited to a name. */
export function certificateSecretRules(name: string): readonly PolicyRule[] {
  const { group, plural } = core.v1.secrets;
  return [
    { group, resources: [plural], verbs: ['create'] },
    { group, resources: [plural], resourceNames: [name], verbs: ['get', 'list', 'watch', 'update'] },
  ];
}

/** For a ClusterRole: the configurations belong to no namespace. */
export function caBundleRules(configurations: readonly ConfigurationRef[]): readonly PolicyRule[] {
  return configurations.map((ref) => {
    const { group, plural } = resourceOf(ref);
    return { group, resources: [plural], resourceNames: [ref.name], verbs: ['get', 'list', 'watch', 'patch'] };
  });
}
