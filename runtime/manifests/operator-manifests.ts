/** What the generator of manifests is told. */
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { ManagerRuleOptions } from '../manager/manager-rules.ts';
import type { KubernetesSchemas } from '../manifests/structural-from-zod.ts';
import type { Kind } from '../schema/kind.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';

/** What the manifests of an operator are made from: `controller-runtime generate` looks for this in its module. */
export interface OperatorManifests {
  /** Each gets a file in config/crd/bases. Default none. */
  readonly kinds?: readonly Kind[];
  /**
   * What `createManager` is given when the operator runs in a cluster; of flags: `{ name, ...managerOptionsOf(flagValues(FLAGS, args)) }`.
   * The rights of the manager itself, and the names in the webhook configurations, are made from it: see `managerRules`. Default: there
   * are neither roles but {@link roles} nor names but those for kustomize.
   */
  readonly manager?: ManagerRuleOptions;
  /**
   * What the reconcilers do, watch and own: in the ClusterRole of the manager, besides what it needs itself. Needs {@link manager}.
   * Default none.
   */
  readonly rules?: readonly PolicyRule[];
  /** Other roles, in the file of those of the manager. Default none. */
  readonly roles?: readonly OperatorRole[];
  /** In one file: `declarationsOf(registerWebhooks)`. Default none. */
  readonly webhooks?: readonly WebhookDeclaration[];
  /** The one that the manager runs in. Default: that of its own certificates if the options name one, else `<name>-system`. */
  readonly namespace?: string;
  /**
   * Leaves prefixes and namespaces to kustomize, as kubebuilder's projects do: `namePrefix` has to be `<name>-`. The roles are called
   * `manager-role` then. Default false: names are complete, and roles are called as the manager.
   */
  readonly kustomize?: boolean;
  /** Those that the kinds name with `kubernetesSchema()`: what `fetch-schemas` has written. Default none. */
  readonly kubernetesSchemas?: KubernetesSchemas;
}

export interface OperatorRole {
  readonly name: string;
  /** `Role`: in the namespace that it is put in. Default `ClusterRole`. */
  readonly kind?: 'ClusterRole' | 'Role';
  readonly rules: readonly PolicyRule[];
}
