/** Generates the objects of an operator's installation, except for CRDs, roles and webhook configurations. */

import { DEFAULT_HEALTH_PROBES, resolveBindAddress } from '../manager/add-servers.ts';
import { DEFAULT_SHUTDOWN_DELAY_MS, DEFAULT_WEBHOOK_PORT } from '../manager/add-webhooks.ts';
import { DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS } from '../manager/manager.ts';
import type { ManagerOptions, WebhookOptions } from '../manager/manager-options.ts';
import { longestShutdownMs } from '../manager/shutdown.ts';
import type { DeploymentOptions, ManagerManifestOptions, OperatorRole } from './operator-manifests.ts';
import type { WebhookService } from './webhook-configuration.ts';

/** The manager of an operator, and the namespace of the objects that run the manager. */
export interface Installation {
  readonly manager: ManagerManifestOptions;
  readonly namespace: string;
}

/**
 * ID of the unprivileged user in distroless images. The Deployment sets the user, so the image does not need a user.
 */
const CONTAINER_USER_ID = 65_532;
const DEFAULT_RESOURCE_REQUIREMENTS = { requests: { cpu: '10m', memory: '128Mi' }, limits: { memory: '256Mi' } };

export function buildServiceAccount({ manager: { name }, namespace }: Installation): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

/** Returns a role binding for each role, with the ServiceAccount of the manager as the subject. */
export function buildRoleBindings(
  { manager, namespace }: Installation,
  roles: readonly OperatorRole[],
): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  return roles.map(({ name, kind = 'ClusterRole' }) => ({
    apiVersion: `${apiGroup}/v1`,
    kind: `${kind}Binding`,
    metadata: { name, ...(kind === 'Role' && { namespace }) },
    roleRef: { apiGroup, kind, name },
    subjects: [{ kind: 'ServiceAccount', name: manager.name, namespace }],
  }));
}

/** Returns the Service of the webhooks, or `undefined` if the manager serves no webhooks. */
export function buildWebhookService(
  { manager }: Installation,
  { name, namespace, port = 443 }: WebhookService,
): object | undefined {
  if (getWebhookOptions(manager) === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: getPodLabels(manager), ports: [{ name: 'webhooks', port, targetPort: 'webhooks' }] },
  };
}

/** Returns the Namespace of the manager. */
export function buildNamespace({ namespace }: Installation): object {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

/** Returns the Deployment of the manager. */
export function buildDeployment({ manager, namespace }: Installation, options: DeploymentOptions): object {
  const { name, leaderElection = false } = manager;
  const labels = getPodLabels(manager);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: getReplicas(manager, options),
      selector: { matchLabels: labels },
      // Without leader election, the old Pod must stop before the new Pod starts.
      ...(leaderElection === false && { strategy: { type: 'Recreate' } }),
      template: { metadata: { labels }, spec: buildPodSpec(manager, options) },
    },
  };
}

/** Returns the PodDisruptionBudget of the manager, or `undefined` if the manager has one replica. */
export function buildPodDisruptionBudget(
  { manager, namespace }: Installation,
  options: DeploymentOptions,
): object | undefined {
  const { podDisruptionBudget = getReplicas(manager, options) > 1 } = options;
  if (!podDisruptionBudget) return undefined;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: manager.name, namespace },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow', // a replica that does not start must not block the drain of its node
      selector: { matchLabels: getPodLabels(manager) },
    },
  };
}

function getReplicas({ leaderElection = false }: ManagerManifestOptions, { replicas }: DeploymentOptions): number {
  return replicas ?? (leaderElection === false ? 1 : 2);
}

/**
 * Returns the kustomization of the folder config/.
 * @param paths Paths of the manifests, relative to the project's folder.
 */
export function buildKustomization({ namespace }: Installation, paths: Iterable<string>): object {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace,
    resources: [...paths].map((path) => path.replace(/^config\//, '')),
  };
}

function buildPodSpec(manager: ManagerManifestOptions, options: DeploymentOptions): object {
  const { image, args = [], resources = DEFAULT_RESOURCE_REQUIREMENTS, container, pod } = options;
  const ports = listPorts(manager);
  return {
    ...(getReplicas(manager, options) > 1 && { topologySpreadConstraints: [buildTopologySpreadConstraint(manager)] }),
    serviceAccountName: manager.name,
    terminationGracePeriodSeconds: getTerminationGracePeriodSeconds(manager),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: CONTAINER_USER_ID,
      runAsGroup: CONTAINER_USER_ID,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'manager',
        image,
        ...(args.length > 0 && { args }),
        ...(ports.length > 0 && { ports }),
        ...(ports.some(({ name }) => name === 'health') && {
          livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, initialDelaySeconds: 15, periodSeconds: 20 },
          readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5 },
        }),
        resources,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        ...container,
      },
    ],
    ...pod,
  };
}

function buildTopologySpreadConstraint(manager: ManagerManifestOptions): object {
  const labelSelector = { matchLabels: getPodLabels(manager) };
  return { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector };
}

/** Returns the longest shutdown time of the manager, rounded up to a multiple of ten seconds. */
function getTerminationGracePeriodSeconds(manager: ManagerManifestOptions): number {
  const { gracefulShutdownTimeoutMs = DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS } = manager;
  const webhooks = getWebhookOptions(manager);
  const webhookShutdownDelayMs = webhooks ? (webhooks.shutdownDelayMs ?? DEFAULT_SHUTDOWN_DELAY_MS) : 0;
  return Math.ceil(longestShutdownMs({ gracefulShutdownTimeoutMs, webhookShutdownDelayMs }) / 10_000) * 10;
}

/** Name of the port of the metrics server. */
export const METRICS_PORT = 'metrics';

interface ContainerPort {
  readonly name: string;
  readonly containerPort: number;
}

/** Lists the ports of the manager's container. */
export function listPorts(manager: ManagerManifestOptions): readonly ContainerPort[] {
  const { healthProbes = DEFAULT_HEALTH_PROBES, metrics } = manager;
  const webhooks = getWebhookOptions(manager);
  return [
    ...(webhooks ? [{ name: 'webhooks', containerPort: webhooks.port ?? DEFAULT_WEBHOOK_PORT }] : []),
    ...listServerPorts('health', healthProbes.bindAddress),
    ...(metrics ? listServerPorts(METRICS_PORT, metrics.bindAddress) : []),
  ];
}

function listServerPorts(name: string, bindAddress: NonNullable<ManagerOptions['healthProbes']>['bindAddress']) {
  const address = resolveBindAddress(bindAddress);
  return address.kind === 'listen' ? [{ name, containerPort: address.port }] : [];
}

function getWebhookOptions({ webhooks }: ManagerManifestOptions): WebhookOptions | undefined {
  return webhooks === undefined || 'off' in webhooks ? undefined : webhooks;
}

/** Returns the labels of the manager's Pods. */
export function getPodLabels({ name }: ManagerManifestOptions) {
  return { 'app.kubernetes.io/name': name };
}
