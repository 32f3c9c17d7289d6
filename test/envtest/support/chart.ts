/** The Helm chart as `helm template` renders it, and releases that together use all of its values. */
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';
import { type Manifest, PROJECT, parseManifests } from '../../support/manifests.ts';
import { NAMESPACE } from './installation.ts';
import './provided.ts';

export const CHART = join(PROJECT, 'charts/cronjob-operator');

export interface ChartRelease {
  readonly name?: string;
  readonly namespace?: string;
  /** Values for `--set-json`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Helm without the user's configuration. */
export function helm(...args: readonly string[]): Promise<string> {
  const folder = join(dirname(inject('kubeconfig')), 'helm');
  const homes = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return run(inject('helm'), args, { env: { ...process.env, ...homes } });
}

export function createFlags(values: ChartRelease['values'] = {}): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
}

export function renderText({
  name = 'cronjob-operator',
  namespace = NAMESPACE,
  values,
}: ChartRelease = {}): Promise<string> {
  return helm('template', name, CHART, '--namespace', namespace, ...createFlags(values));
}

export async function renderChart(release: ChartRelease = {}): Promise<readonly Manifest[]> {
  return parseManifests(await renderText(release));
}

export const RELEASES: readonly (ChartRelease & { readonly title: string })[] = [
  { title: 'its defaults', values: {} },
  { title: 'a name and a namespace of its own', name: 'nightly', namespace: 'ops' },
  { title: 'a name as long as helm allows', name: 'n'.repeat(53), namespace: 'ops' },
  { title: 'v2', name: 'nightly', namespace: 'ops', values: { 'crds.v2': true } },
  { title: 'no webhooks', values: { 'webhooks.enabled': false } },
  { title: 'no metrics', values: { 'metrics.enabled': false } },
  { title: 'metrics for everybody', values: { 'metrics.secure': false, 'serviceMonitor.enabled': true } },
  {
    title: 'nothing that can be left out',
    values: {
      'crds.enabled': false,
      'userRoles.enabled': false,
      'webhooks.enabled': false,
      'admissionPolicies.enabled': false,
      'metrics.enabled': false,
      'podDisruptionBudget.enabled': false,
      priorityClassName: 'system-cluster-critical',
    },
  },
  { title: 'two namespaces', name: 'teams', namespace: 'ops', values: { namespaces: ['team-a', 'team-b'] } },
  {
    title: 'nothing outside of two namespaces',
    namespace: 'ops',
    values: { namespaces: ['team-a', 'team-b'], clusterScoped: false },
  },
  {
    title: 'all that can be added',
    name: 'full',
    namespace: 'ops',
    values: {
      'crds.v2': true,
      certificates: 'cert-manager',
      'serviceMonitor.enabled': true,
      'serviceMonitor.interval': '30s',
      'serviceMonitor.labels': { release: 'prometheus' },
      'prometheusRule.enabled': true,
      'prometheusRule.labels': { release: 'prometheus' },
      'prometheusRule.runbooks': 'https://example.com/runbooks/',
      'networkPolicy.enabled': true,
      'dashboards.enabled': true,
      namespaces: ['team-a'],
      replicas: 3,
      image: { repository: 'registry.example:5000/operator', digest: `sha256:${'0'.repeat(64)}` },
      imagePullSecrets: [{ name: 'registry' }],
      extraArgs: ['--log-level=debug'],
      podAnnotations: { 'example.com/a': 'b' },
      podLabels: { 'example.com/a': 'b' },
      'serviceAccount.annotations': { 'example.com/a': 'b' },
      priorityClassName: 'system-cluster-critical',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      resources: { limits: { memory: '1Gi' } },
    },
  },
];
