/** What the generator of manifests is told. */
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { ManagerRuleOptions } from '../manager/manager-rules.ts';
import type { KubernetesSchemas } from '../manifests/structural-from-zod.ts';
import type { Kind } from '../schema/kind.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';

/** Those options of `createManager` that the manifests depend on. All of them can be given. */
export type InstalledManagerOptions = ManagerRuleOptions &
  Pick<ManagerOptions, 'healthProbes' | 'gracefulShutdownTimeoutMs'>;

/** How the manager runs in a cluster. */
export interface DeploymentOptions {
  /** `registry.example.com/website-operator:0.1.0`. Runs as the user 65532, on a file system that is only read. */
  readonly image: string;
  /** Those that the options of the manager were made from. Default none. */
  readonly args?: readonly string[];
  /** Default 2 with leader election, else 1. */
  readonly replicas?: number;
  /** Default: 10m of CPU and 128Mi of memory are requested, and 256Mi of memory are the limit. */
  readonly resources?: ResourceRequirements;
}

interface ResourceRequirements {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** What the manifests of an operator are made from: `controller-runtime generate` looks for this in its module. */
export interface OperatorManifests {
  /** Each gets a file in config/crd/bases. Default none. */
  readonly kinds?: readonly Kind[];
  /**
   * What `createManager` is given when the operator runs in a cluster; of flags: `{ name, ...managerOptionsOf(flagValues(FLAGS, args)) }`.
   * The rights of the manager itself, its ServiceAccount with the bindings, the Service of its webhooks, and the names in the webhook
   * configurations are made from it: see `managerRules`. Default: there are neither roles but {@link roles} nor names but those for
   * kustomize.
   */
  readonly manager?: InstalledManagerOptions;
  /**
   * Writes the namespace, the Deployment of the manager, and config/kustomization.yaml: `kubectl apply -k config` installs the operator.
   * Needs {@link manager}; not with {@link kustomize}. Default: the Deployment and the kustomization are somebody else's.
   */
  readonly deployment?: DeploymentOptions;
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
