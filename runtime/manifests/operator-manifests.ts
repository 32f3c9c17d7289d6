/** Input of the manifest generator. */
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { ManagerRuleOptions } from '../manager/manager-rules.ts';
import type { KubernetesSchemas } from '../manifests/structural-from-zod.ts';
import type { Kind } from '../schema/kind.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';

/** The options of `createManager` that determine the manifests. You can pass all options. */
export type InstalledManagerOptions = ManagerRuleOptions &
  Pick<ManagerOptions, 'healthProbes' | 'gracefulShutdownTimeoutMs'>;

/** Deployment of the manager in a cluster. */
export interface DeploymentOptions {
  /**
   * Image of the manager: `registry.example.com/website-operator:0.1.0`. It runs as user 65532 with a read-only file
   * system.
   */
  readonly image: string;
  /** Arguments that produce the options of the manager. Default: no arguments. */
  readonly args?: readonly string[];
  /** Default 2 with leader election, else 1. */
  readonly replicas?: number;
  /** Default: requests of 10m CPU and 128Mi memory, and a limit of 256Mi memory. */
  readonly resources?: ResourceRequirements;
}

interface ResourceRequirements {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** The input for the manifests of an operator: `controller-runtime generate` expects it in its module. */
export interface OperatorManifests {
  /** Each kind gets a file in config/crd/bases. Default: no kinds. */
  readonly kinds?: readonly Kind[];
  /**
   * The options that `createManager` gets when the operator runs in a cluster; with flags: `{ name,
   * ...toManagerOptions(parseFlagValues(FLAGS, args)) }`. They determine the rights of the manager itself, its
   * ServiceAccount with the bindings, the Service of its webhooks, and the names in the webhook configurations: see
   * `managerRules`. Default: only {@link roles}, and names for kustomize.
   */
  readonly manager?: InstalledManagerOptions;
  /**
   * Writes the namespace, the Deployment of the manager, and config/kustomization.yaml: `kubectl apply -k config`
   * installs the operator. Needs {@link manager}; not with {@link kustomize}. Default: no Deployment and no
   * kustomization.
   */
  readonly deployment?: DeploymentOptions;
  /**
   * Rights of the reconcilers for their own work and their watched and owned kinds, added to the rights of the manager
   * itself in its ClusterRole. Needs {@link manager}. Default: no rules.
   */
  readonly rules?: readonly PolicyRule[];
  /** Additional roles, in the same file as the roles of the manager. Default: no roles. */
  readonly roles?: readonly OperatorRole[];
  /** Webhooks, in one file: `collectDeclarations(registerWebhooks)`. Default: no webhooks. */
  readonly webhooks?: readonly WebhookDeclaration[];
  /**
   * Namespace of the manager. Default: the namespace of its own certificates if the options name one, else
   * `<name>-system`.
   */
  readonly namespace?: string;
  /**
   * Leaves prefixes and namespaces to kustomize, as kubebuilder's projects do: `namePrefix` must be `<name>-`. The
   * roles are then named `manager-role`. Default false: names are complete, and roles have the name of the manager.
   */
  readonly kustomize?: boolean;
  /** Schemas that the kinds reference with `kubernetesSchema()`: the output of `fetch-schemas`. Default: no schemas. */
  readonly kubernetesSchemas?: KubernetesSchemas;
}

export interface OperatorRole {
  readonly name: string;
  /** `Role`: in the namespace where it is applied. Default `ClusterRole`. */
  readonly kind?: 'ClusterRole' | 'Role';
  readonly rules: readonly PolicyRule[];
}
