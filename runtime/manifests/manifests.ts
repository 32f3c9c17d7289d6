import { basename } from 'node:path';
import type { PolicyRule } from '../kubernetes/policy-rule.ts';
import type { Kind } from '../schema/kind.ts';
import { collectSetUpDeclarations, type SetUpDeclarations } from './collect-registrations.ts';
import { type ConversionServer, customResourceDefinition } from './custom-resource-definition.ts';
import { buildChartFiles, createValuePlaceholder } from './helm-chart.ts';
import {
  buildDeployment,
  buildKustomization,
  buildNamespace,
  buildPodDisruptionBudget,
  buildRoleBindings,
  buildServiceAccount,
  buildWebhookService,
  type Installation,
} from './installation.ts';
import { manifestYaml } from './manifest-yaml.ts';
import { buildMetricsService, buildServiceMonitor, listMetricsRoles } from './metrics-objects.ts';
import type { DeploymentOptions, OperatorManifests, OperatorRole } from './operator-manifests.ts';
import { buildManagerRoles, resolveWebhookNames } from './operator-names.ts';
import { buildClusterRole, buildRole } from './role.ts';
import type { KubernetesSchemas } from './structural-from-zod.ts';
import { webhookConfigurations, withWebhookUrl } from './webhook-configuration.ts';

/** Options of {@link manifestFiles}. */
export interface ManifestOptions {
  /** URL of the webhooks of a manager on your machine, such as `https://192.168.1.5:9443`. Default: the Service. */
  readonly webhookUrl?: string | undefined;
}

const SERVICE_MONITOR_FILE = 'config/prometheus/monitor.yaml';
const NO_DECLARATIONS: SetUpDeclarations = { rules: [], webhooks: [] };

/**
 * Returns the content of each manifest file, without the first line, which marks the file as generated. The keys are
 * paths relative to the project's folder. Throws a TypeError if `rules` or `deployment` is set without `manager`, if
 * `serviceMonitor` is set without `metrics`, or if a kind has several versions and the manager has no webhooks.
 */
export function manifestFiles(
  manifests: OperatorManifests,
  { webhookUrl }: ManifestOptions = {},
): ReadonlyMap<string, string> {
  const {
    kinds = [],
    roles: additionalRoles = [],
    kubernetesSchemas,
    deployment,
    serviceMonitor,
    setUp,
    manager,
  } = manifests;
  const declared = setUp === undefined ? NO_DECLARATIONS : collectSetUpDeclarations(setUp, manager?.name);
  const { webhooks = declared.webhooks } = manifests;
  const managerRoles = buildManagerRoles(manifests, declared.rules);
  const names = resolveWebhookNames(manifests);
  const conversionServer = webhookUrl === undefined ? names : { url: webhookUrl };
  throwIfConversionIsMissing(manifests);
  const crds = new Map(kinds.map((kind) => [crdPath(kind), crdYaml(kind, kubernetesSchemas, conversionServer)]));
  const installation = resolveInstallation(manifests);
  const metricsRoles = installation === undefined ? [] : listMetricsRoles(installation);
  const metricsService = installation === undefined ? undefined : buildMetricsService(installation);
  if (serviceMonitor !== undefined && metricsService === undefined)
    throw new TypeError(
      'serviceMonitor: set `metrics` of `manager` too, because the ServiceMonitor selects their Service',
    );
  const roles = [...managerRoles, ...metricsRoles, ...additionalRoles];
  const objects = new Map<string, readonly object[]>();
  const add = (path: string, ...added: readonly (object | undefined)[]) => {
    const present = added.filter((each) => each !== undefined);
    if (present.length > 0) objects.set(path, present);
  };
  add('config/rbac/role.yaml', ...buildRoles(roles, installation?.namespace));
  const configurations = webhookConfigurations(webhooks, names).map((configuration) =>
    webhookUrl === undefined ? configuration : withWebhookUrl(configuration, webhookUrl),
  );
  add('config/webhook/manifests.yaml', ...configurations);
  if (installation !== undefined) {
    add('config/rbac/service_account.yaml', buildServiceAccount(installation));
    add('config/rbac/role_binding.yaml', ...buildRoleBindings(installation, managerRoles));
    add('config/webhook/service.yaml', buildWebhookService(installation, names.service));
    add('config/metrics/service.yaml', metricsService);
    if (serviceMonitor !== undefined)
      add(SERVICE_MONITOR_FILE, buildServiceMonitor(installation, serviceMonitor.labels));
  }
  const files = new Map([...crds, ...[...objects].map(([path, each]) => [path, manifestYaml(each)] as const)]);
  if (installation === undefined || deployment === undefined) return files;
  return new Map([...files, ...listDeploymentFiles({ manifests, installation, deployment, crds, objects })]);
}

interface DeploymentFilesInput {
  readonly manifests: OperatorManifests;
  readonly installation: Installation;
  readonly deployment: DeploymentOptions;
  readonly crds: ReadonlyMap<string, string>;
  /** The objects of all files except the CRDs, by path. */
  readonly objects: ReadonlyMap<string, readonly object[]>;
}

/** Returns the additional files for an operator with a Deployment. */
function listDeploymentFiles(input: DeploymentFilesInput): ReadonlyMap<string, string> {
  const { manifests, installation, deployment: options, crds, objects } = input;
  const deployment = buildDeployment(installation, options);
  const podDisruptionBudget = buildPodDisruptionBudget(installation, options);
  const manager = [buildNamespace(installation), deployment, ...(podDisruptionBudget ? [podDisruptionBudget] : [])];
  const path = 'config/manager/manager.yaml';
  const kustomization = buildKustomization(installation, [...crds.keys(), ...objects.keys(), path]);
  const files = new Map([
    [path, manifestYaml(manager)],
    ['config/kustomization.yaml', manifestYaml([kustomization])],
  ]);
  const { chart } = manifests;
  if (chart === undefined) return files;
  const {
    namespace,
    manager: { name },
  } = installation;
  const serviceMonitor = buildMetricsService(installation) && {
    manifest: buildServiceMonitor(installation, createValuePlaceholder('serviceMonitor.labels')),
    values: { enabled: manifests.serviceMonitor !== undefined, labels: manifests.serviceMonitor?.labels ?? {} },
  };
  const content = { name, namespace, chart, deployment, podDisruptionBudget, serviceMonitor };
  const plain = [...objects].filter(([file]) => file !== SERVICE_MONITOR_FILE);
  const toTemplates = new Map(plain.map(([file, each]) => [TEMPLATE_NAMES[file] ?? basename(file), each]));
  const crdFiles = new Map([...crds].map(([file, yaml]) => [basename(file), yaml]));
  return new Map([...files, ...buildChartFiles({ ...content, crds: crdFiles, objects: toTemplates })]);
}

/** Names of chart templates that differ from the name of the file in config/. */
const TEMPLATE_NAMES: Readonly<Record<string, string>> = {
  'config/webhook/manifests.yaml': 'webhooks.yaml',
  'config/webhook/service.yaml': 'webhook_service.yaml',
  'config/metrics/service.yaml': 'metrics_service.yaml',
};

/** The ServiceAccount of a manager and the rules of its roles. */
export interface ManagerRoles {
  readonly name: string;
  readonly namespace: string;
  readonly clusterRules: readonly PolicyRule[];
  readonly namespaceRules: readonly PolicyRule[];
}

/**
 * Returns the roles in the manifests. The names of the roles include the prefix that kustomize adds. Throws a TypeError
 * if `manager` is not set.
 */
export function getManagerRoles(manifests: OperatorManifests): ManagerRoles {
  const { manager, setUp } = manifests;
  if (manager === undefined) throw new TypeError('the manifests have no `manager`, and therefore no roles');
  const installed = { ...manifests, kustomize: false };
  const roles = buildManagerRoles(
    installed,
    setUp === undefined ? [] : collectSetUpDeclarations(setUp, manager.name).rules,
  );
  const getRules = (kind: OperatorRole['kind']) => roles.find((role) => role.kind === kind)?.rules ?? [];
  return {
    name: manager.name,
    namespace: resolveWebhookNames(installed).service.namespace,
    clusterRules: getRules(undefined),
    namespaceRules: getRules('Role'),
  };
}

/** If a kind has several versions, the API server needs a webhook to convert objects between the versions. */
function throwIfConversionIsMissing({ kinds = [], manager }: OperatorManifests): void {
  const kind = kinds.find(({ versions }) => Object.keys(versions).length > 0);
  if (kind === undefined || manager === undefined || (manager.webhooks && !('off' in manager.webhooks))) return;
  throw new TypeError(
    `kinds: ${kind.kind} has several versions, which a webhook converts; set \`webhooks\` of \`manager\` too`,
  );
}

/**
 * Returns the installation, or `undefined` if `kustomize` is set or `manager` is not set. Throws a TypeError if
 * `deployment` is set with `kustomize` or without `manager`.
 */
function resolveInstallation(manifests: OperatorManifests): Installation | undefined {
  const { manager, kustomize = false, deployment, chart } = manifests;
  if (chart !== undefined && deployment === undefined)
    throw new TypeError('chart: set `deployment` too, because the chart installs it');
  if (manager !== undefined && !kustomize)
    return { manager, namespace: resolveWebhookNames(manifests).service.namespace };
  if (deployment === undefined) return undefined;
  throw new TypeError(
    kustomize
      ? 'deployment: cannot be combined with `kustomize`, where you write the Deployment; remove one of the two'
      : 'deployment: set `manager` too, because the Deployment runs it',
  );
}

/** Returns the path of a CRD in a kubebuilder project. */
export function crdPath({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return `config/crd/bases/${group}_${plural}.yaml`;
}

/** Returns the CRD of a kind as YAML. The parameters are the same as for {@link customResourceDefinition}. */
export function crdYaml(
  kind: Kind,
  kubernetesSchemas?: KubernetesSchemas,
  conversionServer?: ConversionServer,
): string {
  return manifestYaml([customResourceDefinition(kind, kubernetesSchemas, conversionServer)], { isSorted: true });
}

/**
 * Returns roles as YAML.
 * @param namespace Namespace of each Role. Default: the namespace that `kubectl apply` uses.
 */
export function rolesYaml(roles: readonly OperatorRole[], namespace?: string): string {
  return manifestYaml(buildRoles(roles, namespace));
}

function buildRoles(roles: readonly OperatorRole[], namespace: string | undefined): readonly object[] {
  return roles.map(({ name, kind, rules }) =>
    kind === 'Role' ? buildRole(name, rules, namespace) : buildClusterRole(name, rules),
  );
}
