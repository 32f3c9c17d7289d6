import type { Pod } from '../kubernetes/core.ts';
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { ManagerRuleOptions } from '../manager/manager-rules.ts';
import type { KubernetesSchemas } from '../manifests/structural-from-zod.ts';
import type { Kind } from '../schema/kind.ts';
import type { WebhookDeclaration } from '../webhook/webhook-declaration.ts';
import type { SetUp } from './collect-registrations.ts';

/** The options of `createManager` that affect the manifests. You can pass an object with all options. */
export type ManagerManifestOptions = ManagerRuleOptions &
  Pick<ManagerOptions, 'healthProbes' | 'gracefulShutdownTimeoutMs'>;

/** Options for the Deployment of the manager. */
export interface DeploymentOptions {
  /**
   * Image of the manager, such as `registry.example.com/website-operator:0.1.0`. The container runs as user 65532 with
   * a read-only file system.
   */
  readonly image: string;
  /**
   * Command-line arguments of the manager. The arguments must match the options in {@link OperatorManifests.manager}.
   * Default: no arguments.
   */
  readonly args?: readonly string[];
  /** Number of replicas. Default: 2 with leader election, else 1. */
  readonly replicas?: number;
  /** Default: requests of 10m CPU and 128Mi memory, and a limit of 256Mi memory. */
  readonly resources?: ResourceRequirements;
  /**
   * Additional fields of the container, such as `env` or `volumeMounts`. A field replaces the generated field with the
   * same name. Default: no additional fields.
   */
  readonly container?: Partial<Omit<PodContainer, 'name' | 'image' | 'args' | 'resources'>>;
  /**
   * Additional fields of the Pod, such as `volumes`, `affinity`, `nodeSelector` or `tolerations`. A field replaces the
   * generated field with the same name. Default: no additional fields. With several replicas, the generated field
   * `topologySpreadConstraints` distributes the replicas over different nodes if possible.
   */
  readonly pod?: Partial<Omit<PodSpec, 'containers' | 'serviceAccountName'>>;
  /**
   * Whether to add a PodDisruptionBudget, so that a drain of nodes evicts only one replica at a time. Default: true
   * with several replicas.
   */
  readonly podDisruptionBudget?: boolean;
}

type PodSpec = NonNullable<Pod['spec']>;
type PodContainer = PodSpec['containers'][number];

interface ResourceRequirements {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** Options for the Helm chart of an operator. */
export interface ChartOptions {
  /** Version of the chart, such as `0.1.0`. */
  readonly version: string;
  /** Version of the operator. Default: the version of the chart. */
  readonly appVersion?: string;
  /** One sentence. Default: `Installs <name>.` */
  readonly description?: string;
  /** Folder of the chart. Default: `charts/<name>`. */
  readonly folder?: string;
}

/** Options for the ServiceMonitor of the metrics. */
export interface ServiceMonitorOptions {
  /** Labels by which your Prometheus selects ServiceMonitors, such as `release: prometheus`. Default: no labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The input of the manifest generator `controller-runtime generate`. */
export interface OperatorManifests {
  /** Kinds whose CRDs are written to config/crd/bases. Default: no kinds. */
  readonly kinds?: readonly Kind[];
  /**
   * The options that the operator passes to `createManager` in a cluster. If the options come from flags, use
   * `{ name, ...toManagerOptions(parseFlagValues(FLAGS, args)) }`. The generator adds the role of the manager (see
   * `managerRules`), the ServiceAccount, the role bindings, and the Services of the webhooks and of the metrics. Default:
   * the generator writes only {@link roles}, and webhook configurations with names for kustomize.
   */
  readonly manager?: ManagerManifestOptions;
  /**
   * Adds the Namespace, the Deployment of the manager and config/kustomization.yaml, so that `kubectl apply -k config`
   * installs the operator. The option {@link manager} is required, and {@link kustomize} is not allowed. Default: no
   * Deployment and no kustomization.
   */
  readonly deployment?: DeploymentOptions;
  /**
   * Adds a Helm chart that installs the operator in the namespace of the release. The image, the arguments, the
   * resources and other fields of the Deployment are values of the chart. The option {@link deployment} is required.
   * Default: no chart.
   */
  readonly chart?: ChartOptions;
  /**
   * Adds a ServiceMonitor (monitoring.coreos.com/v1), so that the Prometheus Operator collects the metrics. Requires
   * `metrics` in {@link manager}. Default: no ServiceMonitor, and the chart has a value that adds a ServiceMonitor.
   */
  readonly serviceMonitor?: ServiceMonitorOptions;
  /**
   * The function that adds the controllers and webhooks to the manager, as in the main file of the operator. The
   * generator calls the function with a manager that never starts. The ClusterRole of the manager contains the rules for
   * the kinds in `for`, `owns` and `watches`, and for the finalizers. Requires {@link manager}. Default: no controllers.
   */
  readonly setUp?: SetUp;
  /**
   * RBAC rules for all other requests of your code. The ClusterRole of the manager also contains the rules for
   * {@link setUp} and the rules from `managerRules`. Requires {@link manager}. Default: no rules.
   */
  readonly rules?: readonly PolicyRule[];
  /** Additional roles, written to config/rbac/role.yaml. Default: no roles. */
  readonly roles?: readonly OperatorRole[];
  /**
   * Declarations of the webhooks, such as the result of `collectDeclarations(registerWebhooks)`. The webhook
   * configurations are written to config/webhook/manifests.yaml. Default: the webhooks that {@link setUp} registers.
   */
  readonly webhooks?: readonly WebhookDeclaration[];
  /**
   * Namespace of the manager. Default: the namespace of the webhook certificates in the options of the manager, else
   * `<name>-system`.
   */
  readonly namespace?: string;
  /**
   * Whether kustomize adds name prefixes and namespaces, as in kubebuilder projects. If true, the `namePrefix` of
   * kustomize must be `<name>-`, and the roles are named `manager-role`. Default false: names are complete, and roles
   * have the name of the manager.
   */
  readonly kustomize?: boolean;
  /**
   * Schemas that the kinds reference with `kubernetesSchema()`. Read the schemas with `readKubernetesSchemas`. Default:
   * no schemas.
   */
  readonly kubernetesSchemas?: KubernetesSchemas;
}

/** A role without a binding, for users of the operator. */
export interface OperatorRole {
  /** Name of the role. */
  readonly name: string;
  /** Default `ClusterRole`. */
  readonly kind?: 'ClusterRole' | 'Role';
  /** RBAC rules of the role. */
  readonly rules: readonly PolicyRule[];
}
