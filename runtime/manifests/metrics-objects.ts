/** Generates the objects through which Prometheus reads the metrics of a manager. */
import { getPodLabels, type Installation, listPorts, METRICS_PORT } from './installation.ts';
import type { OperatorRole, ServiceMonitorOptions } from './operator-manifests.ts';

/** Returns the Service of the metrics, or `undefined` if the manager serves no metrics. */
export function buildMetricsService({ manager, namespace }: Installation): object | undefined {
  const port = listPorts(manager).find(({ name }) => name === METRICS_PORT);
  if (port === undefined) return undefined;
  const labels = getPodLabels(manager);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${manager.name}-metrics-service`, namespace, labels },
    spec: { selector: labels, ports: [{ name: METRICS_PORT, port: port.containerPort, targetPort: METRICS_PORT }] },
  };
}

/** Returns the role of the clients that may read the metrics. Empty if the manager serves no metrics, or to all clients. */
export function listMetricsRoles(installation: Installation): readonly OperatorRole[] {
  const { manager } = installation;
  if (buildMetricsService(installation) === undefined || manager.metrics?.isSecure === false) return [];
  return [{ name: `${manager.name}-metrics-reader`, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] }];
}

/**
 * Returns the ServiceMonitor of {@link buildMetricsService}.
 * @param labels Labels, or a placeholder for labels in a chart.
 */
export function buildServiceMonitor(
  { manager, namespace }: Installation,
  labels: ServiceMonitorOptions['labels'] | string,
): object {
  const { isSecure = true } = manager.metrics ?? {};
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: `${manager.name}-metrics`, namespace, ...(labels && { labels }) },
    spec: {
      selector: { matchLabels: getPodLabels(manager) },
      endpoints: [
        {
          port: METRICS_PORT,
          path: '/metrics',
          scheme: isSecure ? 'https' : 'http',
          honorLabels: true, // else Prometheus renames the label `namespace` of your series to `exported_namespace`
          ...(isSecure && {
            bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
            // Each replica creates a self-signed certificate at each start, which a client cannot verify.
            tlsConfig: { insecureSkipVerify: true },
          }),
        },
      ],
    },
  };
}
