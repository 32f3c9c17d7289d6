import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestFiles } from './manifests.ts';
import type { OperatorManifests } from './operator-manifests.ts';

const manager = { name: 'widget-operator', metrics: { bindAddress: ':8443' } } as const;
const deployment = { image: 'widget-operator:1' };
const MONITOR = 'config/prometheus/monitor.yaml';

function documents(manifests: OperatorManifests, path: string) {
  return parseAllDocuments(manifestFiles(manifests).get(path) ?? '').map((document) => document.toJS());
}

test('a manager with metrics has a Service, which selects its Pods, and a role for the readers', () => {
  const [service] = documents({ manager, deployment }, 'config/metrics/service.yaml');
  const { template } = documents({ manager, deployment }, 'config/manager/manager.yaml').at(-1).spec;
  expect(service).toMatchObject({
    metadata: { name: 'widget-operator-metrics-service', namespace: 'widget-operator-system' },
    spec: {
      selector: template.metadata.labels,
      ports: [{ name: 'metrics', port: 8443, targetPort: template.spec.containers[0].ports.at(-1).name }],
    },
  });
  expect(documents({ manager }, 'config/rbac/role.yaml')).toContainEqual({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'widget-operator-metrics-reader' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  const { resources } = documents({ manager, deployment }, 'config/kustomization.yaml')[0];
  expect(resources).toContain('metrics/service.yaml');
  expect(resources).not.toContain('prometheus/monitor.yaml');
});

test.each([undefined, { bindAddress: '0' }])('a manager with metrics %j has no Service', (metrics) => {
  const without = { name: 'widget-operator', ...(metrics && { metrics }) };
  const files = manifestFiles({ manager: without, deployment });
  expect([...files.keys()]).not.toContain('config/metrics/service.yaml');
  expect(files.get('config/rbac/role.yaml')).not.toContain('metrics-reader');
  expect(() => manifestFiles({ manager: without, serviceMonitor: {} })).toThrow('serviceMonitor: set `metrics`');
});

test('the ServiceMonitor selects the Service, and sends the token of Prometheus over HTTPS', () => {
  const manifests = { manager, deployment, serviceMonitor: { labels: { release: 'prometheus' } } };
  const [monitor] = documents(manifests, MONITOR);
  const [service] = documents(manifests, 'config/metrics/service.yaml');
  expect(monitor).toMatchObject({
    metadata: { namespace: 'widget-operator-system', labels: { release: 'prometheus' } },
    spec: { selector: { matchLabels: service.metadata.labels } },
  });
  expect(monitor.spec.endpoints).toEqual([
    {
      port: 'metrics',
      path: '/metrics',
      scheme: 'https',
      honorLabels: true,
      bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      tlsConfig: { insecureSkipVerify: true },
    },
  ]);
  expect(documents(manifests, 'config/kustomization.yaml')[0].resources).toContain('prometheus/monitor.yaml');
});

test('metrics over HTTP need no token and no role', () => {
  const plain = { manager: { ...manager, metrics: { bindAddress: ':8080', isSecure: false } }, serviceMonitor: {} };
  const [monitor] = documents(plain, MONITOR);
  expect(monitor.spec.endpoints).toEqual([{ port: 'metrics', path: '/metrics', scheme: 'http', honorLabels: true }]);
  expect(manifestFiles(plain).get('config/rbac/role.yaml')).not.toContain('metrics-reader');
});
